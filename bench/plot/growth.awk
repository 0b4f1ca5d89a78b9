# growth.awk: from the JSON of rapt-bench's growth suite to a table: length, then seconds of each way,
# "-" where a way was not measured. The
# unfused path is measured in turns with the library, in the same row.
#
#   rapt-bench --benchmark_filter=^growth/ --benchmark_out=growth.json --benchmark_out_format=json
#   awk -f bench/plot/growth.awk growth.json > growth.dat

# One field a line, the name before the time: Google Benchmark writes it so.
/^ *"name": "growth\// {
  split($0, part, "/")
  way = part[2]
  length_of_row = $0
  sub(/.*_s/, "", length_of_row)
  sub(/\/.*/, "", length_of_row)
}

/^ *"real_time":/ && way != "" {
  time = $2
  sub(/,$/, "", time)
  seconds[way, length_of_row + 0] = time * 1e-6 # rapt-bench reports microseconds
  if (length_of_row + 0 > longest) longest = length_of_row + 0
}

/^ *"unfused_time":/ && way != "" {
  time = $2
  sub(/,$/, "", time)
  seconds["unfused", length_of_row + 0] = time + 0
}

/^ *"error_occurred": true/ { bad = bad " " way "/" length_of_row }

/^ *}/ { way = "" }

function cell(name, n) { return (name, n) in seconds ? sprintf("%.6g", seconds[name, n]) : "-" }

END {
  if (longest == 0 || bad != "") {
    print "growth.awk: " (bad != "" ? "these benchmarks failed:" bad : "no row of the growth suite") > "/dev/stderr"
    exit 1
  }
  print "# length  seconds: rapt  unfused  naive"
  for (n = 1; n <= longest; n *= 2)
    if (cell("rapt", n) cell("unfused", n) cell("naive", n) != "---")
      print n, cell("rapt", n), cell("unfused", n), cell("naive", n)
}
