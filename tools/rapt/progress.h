/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A bar that shows how far a long command is: on stderr, and only if that is a terminal. */
#ifndef RAPT_TOOL_PROGRESS_H
#define RAPT_TOOL_PROGRESS_H

/* Draws over the bar before; `done` of 0..1, and what is being done. */
void progress_show(double done, const char *what);

/* Takes the bar away, so that a line can be printed in its place. */
void progress_clear(void);

#endif
