# What goes wrong, as conditions: errors of the class optcomplete_error with the fields problem, remedy,
# file, row, column and line, and warnings of the class optcomplete_warning.

stop_with <- function(problem, remedy = "", file = NULL, row = NULL, column = NULL, line = NULL) {
  where <- if (is.null(file)) "" else file
  if (!is.null(column)) {
    where <- sprintf("%s, row %s, column %s", where, row, column)
  } else if (!is.null(row)) {
    where <- sprintf("%s, row %s", where, row)
  } else if (!is.null(line)) {
    where <- sprintf("%s:%s", where, line)
  }
  text <- if (nzchar(where)) paste0(where, ": ", problem) else problem
  if (nzchar(remedy)) text <- sprintf("%s (%s)", text, remedy)
  stop(structure(
    class = c("optcomplete_error", "error", "condition"),
    list(message = text, call = NULL, problem = problem, remedy = remedy, file = file, row = row, column = column, line = line)
  ))
}

warn_with <- function(text) {
  warning(structure(class = c("optcomplete_warning", "warning", "condition"), list(message = text, call = NULL)))
}

# Flags of the command line, as the arguments that they are in R.
in_r <- function(text) {
  text <- gsub("--missing \"?([^\"[:space:]]*)\"?", "missing = \"\\1\"", text)
  found <- gregexpr("(?<![\\w-])--[a-z][a-z0-9-]*( FILE| ID)?", text, perl = TRUE)
  regmatches(text, found) <- lapply(regmatches(text, found), function(flags) {
    names <- sub("^--", "", sub(" (FILE|ID)$", "", flags))
    paste0(gsub("-", "_", names), ifelse(names %in% .types$switch, " = TRUE", ""))
  })
  gsub("(?<![\\w-])-k\\b", "k", text, perl = TRUE)
}

# The error of an answer. tables are those that were sent.
stop_for <- function(failure, tables) {
  file <- failure$file
  line <- failure$line
  problem <- in_r(failure$problem)
  remedy <- if (is.null(failure$remedy)) "" else in_r(failure$remedy)
  if (is.null(file) || !file %in% names(tables)) stop_with(problem, remedy, file = file, line = line)
  problem <- sub("has a header but no lines after it", "has no rows", problem, fixed = TRUE)
  problem <- sub("the header has one field", "it has one column", problem, fixed = TRUE)
  table <- tables[[file]]
  if (!is.null(line) && isTRUE(attr(table, "cells"))) { # of a matrix a place says more than a number
    remedy <- gsub("\\blines?\\b", "entries", remedy, perl = TRUE)
    stop_with(problem, remedy, file = file, row = as.character(table[[1]][line]), column = as.character(table[[2]][line]))
  }
  problem <- gsub("\\bon (line|record) ([0-9]+)", "on row \\2", problem)
  stop_with(problem, gsub("\\bline(s?)\\b", "row\\1", remedy, perl = TRUE), file = file, row = line)
}
