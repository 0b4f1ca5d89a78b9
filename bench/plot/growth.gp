# growth.gp: time against length, both axes logarithmic.
#
#   gnuplot -e "data='growth.dat'" -e "base='growth'" bench/plot/growth.gp    # growth.svg, growth.png
#   gnuplot -e "data='growth.dat'" bench/plot/growth.gp                   # in the terminal

set datafile missing '-'
set logscale x 2
set logscale y 10
set format y '%.0s %cs'
set xlabel 'length: queries = keys (tokens)'
set ylabel 'time of one call (us, ms, s)'
set key bottom right Left reverse
set grid

# The guide goes through the first measured length of rapt, somewhat below.
stats data using 1 every ::0::0 nooutput
first = STATS_min
stats data using 2 every ::0::0 nooutput
first_time = STATS_min
quadratic(n) = 0.5 * first_time * (n / first)**2
stats data using 1 nooutput
last = STATS_max
set xrange [first / 1.2 : last * 1.2]

naive = "using 1:4 with linespoints linewidth 2 pointtype 9 linecolor rgb '#c0392b' title 'naive loops'"
unfused = "using 1:3 with linespoints linewidth 2 pointtype 5 linecolor rgb '#2471a3' title 'unfused: two OpenBLAS products around a softmax'"
rapt = "using 1:2 with linespoints linewidth 2 pointtype 7 linecolor rgb '#1e8449' title 'rapt'"
guide = "with lines linewidth 1 dashtype 2 linecolor rgb '#707070' title 'slope of length^2'"

if (exists('base')) {
  set title 'Attention: one head of 64 channels, float32, one thread'
  set terminal svg size 900,640 font 'sans,16' background 'white'
  set output base.'.svg'
  plot data @naive, data @unfused, data @rapt, quadratic(x) @guide
  set terminal pngcairo size 1200,850 font 'sans,18' background 'white'
  set output base.'.png'
  replot
  set output
} else {
  set terminal dumb 79 30 # fits an 80 column terminal
  unset grid
  set key top left Right noreverse
  unset ylabel # not drawn upright
  set title 'Time of one call (us, ms, s): one head of 64 channels, one thread'
  plot data using 1:4 with points pointtype 'n' title 'naive', \
    data using 1:3 with points pointtype 'u' title 'unfused', \
    data using 1:2 with points pointtype 'r' title 'rapt', \
    quadratic(x) with dots title 'slope of length^2'
}
