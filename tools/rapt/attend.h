/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Running the library, and its errors in the words of the tool. */
#ifndef RAPT_TOOL_ATTEND_H
#define RAPT_TOOL_ATTEND_H

#include <rapt/rapt.h>

#include "failure.h"

/* An error of the library as a sentence that names the option at fault, and its exit code. */
int attend_refused(const rapt_error *error, failure *why);

/* Plans, allocates and runs any description: once, and up to `most_runs` times until `enough` seconds have
 * passed. The quickest run's time and their number go to *seconds and *runs unless NULL. */
int attend(const rapt_attention_desc *desc, const rapt_attention_args *args,
           const rapt_executor *executor, int32_t most_runs, double enough, double *seconds,
           int32_t *runs, failure *why);

#endif
