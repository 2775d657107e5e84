"""How good the results are: hidden links, known communities and planted ones, beside other methods."""
