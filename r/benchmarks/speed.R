# How long ten million entries take to cross from a data frame to the program, and what the whole verb takes:
#   Rscript r/benchmarks/speed.R [entries]
# Crossing ends when the program has read the last byte; it then sorts and numbers them.
library(optcomplete)
n <- as.numeric(c(commandArgs(TRUE), 1e7)[1])
set.seed(1)
row <- sample.int(1e5, n, TRUE)
column <- sample.int(5000L, n, TRUE)
value <- round(runif(n, 1, 5), 1)
kinds <- list(
  "whole numbers" = data.frame(row, column, value),
  "doubles" = data.frame(row = as.numeric(row), column = as.numeric(column), value),
  "factors" = data.frame(row = factor(row), column = factor(column), value),
  "text" = data.frame(row = paste0("viewer", row), column = paste0("film", column), value)
)
for (kind in names(kinds)) {
  cross <- system.time(gcFirst = TRUE, {
    entries <- optcomplete:::entries_of(kinds[[kind]], list())
    s <- optcomplete:::new_session()
    optcomplete:::send(s, list(id = 1, verb = "no verb", tables = list(list(name = "ratings", bytes = sum(lengths(stream <- optcomplete:::arrow_stream(entries$source, "ratings")))))), list(stream))
    optcomplete:::next_line(s)
    optcomplete:::end_session(s)
  })
  rm(stream, entries)
  whole <- system.time(suppressWarnings(complete_matrix(kinds[[kind]], method = "effects", duplicates = "first")))[["elapsed"]]
  cat(sprintf("%-14s crossing %.1f s (%.1f s of processor time in R), complete_matrix(method = \"effects\") %.1f s\n", kind, cross[["elapsed"]], sum(cross[1:2]), whole))
}
