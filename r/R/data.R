# Frames and matrices on their way to the program, as tables: named lists of vectors.

.given_weights <- "case_weights" # the column of weights that were given by themselves

is_path <- function(x) is.character(x) && length(x) == 1 && is.null(dim(x))

# Observed entries: source is a table row, column, value, or the path of a file that the program reads itself;
# rows and columns are the types of the ids.
entries_of <- function(x, names, wide = NULL, weights = NULL, weight = NULL, time_name = NULL, what = "ratings") {
  if (!is.null(weights)) {
    if (is_path(x)) stop_with("weights are given beside a file", "write them into a column of the file and name it with weight", file = what)
    weight <- "none"
  }
  entries <- if (is_path(x)) {
    list(source = normalizePath(x, mustWork = FALSE), rows = character(0), columns = character(0))
  } else if (inherits(x, "sparseMatrix")) {
    sparse_entries(x, what)
  } else if (is.matrix(x)) {
    matrix_entries(x, what)
  } else if (is.data.frame(x)) {
    if (is.null(wide)) wide <- looks_wide(x, names)
    if (wide) wide_entries(x, what) else long_entries(x, names, weight, time_name, what)
  } else {
    stop_with(sprintf("%s is of the class %s", what, paste(class(x), collapse = "/")), "give a data frame, a matrix, a sparse Matrix or the path of a file")
  }
  if (!is.null(weights)) {
    entries$source[[.given_weights]] <- weights_of(weights, entries)
    entries$weight <- .given_weights
  }
  entries
}

weights_of <- function(weights, entries) {
  count <- length(entries$source$value)
  if (!is.null(dim(weights)) && !is.null(entries$at)) {
    if (!identical(as.integer(dim(weights)), as.integer(entries$size))) {
      stop_with(sprintf("weights have %s", paste(dim(weights), collapse = " x ")), sprintf("give a matrix of %s, as the ratings", paste(entries$size, collapse = " x ")))
    }
    weights <- as.numeric(weights[entries$at])
  }
  if (!is.numeric(weights) || length(weights) != count) {
    stop_with(sprintf("weights have the length %d", length(weights)), sprintf("give a number for each of the %d entries", count))
  }
  as.numeric(weights)
}

known_times <- c("timestamp", "time", "date", "datetime", "day")
known_weights <- c("weight", "weights")

long_entries <- function(x, names, weight, time_name, what) {
  have <- base::names(x)
  at <- locate(have, names, list(c("row", "column", "value"), c("userId", "movieId", "rating")), what)
  others <- setdiff(seq_along(have), at)
  times <- others[have[others] %in% time_name | tolower(have[others]) %in% known_times]
  heavy <- others[if (is.null(weight)) tolower(have[others]) %in% known_weights else have[others] == weight]
  if (!is.null(weight) && weight != "none" && !length(heavy)) {
    stop_with(sprintf("there is no column \"%s\" of weights", weight), paste("there are", quoted(have)), file = what)
  }
  if (nrow(x) == 0) stop_with("has no entries", "give at least one: a row, a column and a value", file = what)
  value <- as_number(x[[at[3]]])
  if (!is.numeric(value)) {
    stop_with(
      sprintf("the values, column \"%s\", are of the class %s, not numbers", have[at[3]], paste(class(value), collapse = "/")),
      "name the columns with row_name, column_name and value_name, or convert the values",
      file = what
    )
  }
  source <- list(
    row = encode_ids(x[[at[1]]], sprintf("column \"%s\"", have[at[1]]), what),
    column = encode_ids(x[[at[2]]], sprintf("column \"%s\"", have[at[2]]), what),
    value = value
  )
  for (i in union(times, heavy)) source[[have[i]]] <- x[[i]]
  list(source = source, rows = id_type(x[[at[1]]]), columns = id_type(x[[at[2]]]), weight = if (length(heavy) == 1) have[heavy])
}

# Numbers, logicals, and words as the command line reads them: yes and true are 1, no and false 0. Others stay.
as_number <- function(x) {
  if (is.logical(x)) return(as.numeric(x))
  if (is.factor(x) || is.character(x)) {
    words <- tolower(trimws(as.character(x)))
    if (all(words %in% c("yes", "true", "no", "false", NA))) return(ifelse(words %in% c("yes", "true"), 1, ifelse(is.na(words), NA, 0)))
    return(x)
  }
  if (inherits(x, "integer64")) return(if (requireNamespace("bit64", quietly = TRUE)) bit64::as.double.integer64(x) else x)
  if (is.object(x) && is.numeric(x)) as.numeric(x) else x
}

quoted <- function(names) paste0("\"", names, "\"", collapse = ", ")

# Columns by the names given, by those that are known, or the first ones.
locate <- function(have, given, known, what) {
  first <- known[[1]]
  given <- lapply(seq_along(first), function(i) if (i <= length(given)) given[[i]])
  if (any(lengths(given) > 0)) {
    wanted <- mapply(function(g, k) if (is.null(g)) k else g, given, first)
    for (name in wanted) if (!name %in% have) stop_with(sprintf("there is no column \"%s\"", name), paste("there are", quoted(have)), file = what)
    return(match(wanted, have))
  }
  for (names in known) {
    at <- match(tolower(names), tolower(have))
    if (!anyNA(at)) return(at)
  }
  if (length(have) < length(first)) {
    stop_with(sprintf("has %d columns where %d are needed: %s", length(have), length(first), paste(first, collapse = ", ")), file = what)
  }
  seq_along(first)
}

# A wide frame has a column of numbers for each column of the matrix.
looks_wide <- function(x, names) {
  have <- tolower(base::names(x))
  if (any(lengths(names) > 0) || all(c("row", "column", "value") %in% have) || all(c("userid", "movieid", "rating") %in% have)) return(FALSE)
  length(have) > 4 && sum(vapply(x, is.numeric, NA)) >= length(have) - 1
}

wide_entries <- function(x, what) {
  labels <- if (is.character(attr(x, "row.names"))) row.names(x)
  if (!is.numeric(x[[1]])) {
    labels <- x[[1]]
    x <- as.list(x)[-1]
  }
  x <- as.list(x)
  bad <- which(!vapply(x, function(v) is.numeric(v) || is.logical(v), NA))
  if (length(bad)) {
    stop_with(sprintf("column \"%s\" of a wide frame does not hold numbers", names(x)[bad[1]]), "leave it out; of a long frame say wide = FALSE", file = what)
  }
  matrix_entries(matrix(as.numeric(unlist(x)), ncol = length(x), dimnames = list(NULL, names(x))), what, labels)
}

# labels are those of the rows, of their own type.
matrix_entries <- function(x, what, labels = rownames(x)) {
  if (!is.numeric(x) && !is.logical(x)) stop_with("the matrix does not hold numbers", "give numbers, NA for what is missing", file = what)
  at <- which(!is.na(x))
  if (!length(at)) stop_with("has no entries: all of it is missing", "give at least one value", file = what)
  row <- (at - 1L) %% nrow(x) + 1L
  column <- (at - 1L) %/% nrow(x) + 1L
  c(cells_of(row, column, as.numeric(x[at]), dim(x), labels, colnames(x), what), list(wide = TRUE, at = at))
}

sparse_entries <- function(x, what) {
  loadNamespace("Matrix")
  x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  if (!length(x@x)) stop_with("has no entries: nothing is stored", "store at least one value", file = what)
  column <- rep.int(seq_len(ncol(x)), diff(x@p))
  c(cells_of(x@i + 1L, column, x@x, dim(x), rownames(x), colnames(x), what), list(at = cbind(x@i + 1L, column)))
}

# Entries at places. Rows and columns are called by their labels, or else by their positions, from 1.
cells_of <- function(row, column, value, size, row_labels, column_labels, what) {
  ids <- function(places, labels, name) {
    if (is.null(labels)) return(as.integer(places))
    texts <- as.character(encode_ids(labels, sprintf("its %s", name), what))
    if (anyDuplicated(texts)) stop_with(sprintf("two %s have the same label, \"%s\"", name, texts[anyDuplicated(texts)]), "give each a label of its own", file = what)
    structure(as.integer(places), levels = texts, class = "factor")
  }
  source <- list(row = ids(row, row_labels, "rows"), column = ids(column, column_labels, "columns"), value = value)
  attr(source, "cells") <- TRUE
  labels <- function(given, n) if (is.null(given)) seq_len(n) else given
  list(
    source = source, size = size,
    rows = id_type(labels(row_labels, 0)), columns = id_type(labels(column_labels, 0)),
    row_labels = labels(row_labels, size[1]), column_labels = labels(column_labels, size[2])
  )
}

# A table whose first column is the id. entries are those whose columns the features are of.
features_of <- function(x, entries = NULL, what = "features") {
  if (is_path(x)) return(normalizePath(x, mustWork = FALSE))
  if (inherits(x, "Matrix")) x <- as.matrix(x)
  if (is.matrix(x)) {
    ids <- rownames(x)
    if (is.null(ids)) {
      ids <- entries$column_labels
      if (length(ids) != nrow(x)) ids <- seq_len(nrow(x))
    }
    names <- if (is.null(colnames(x))) paste0("x", seq_len(ncol(x))) else colnames(x)
    table <- c(list(encode_ids(ids, "the ids", what)), lapply(seq_len(ncol(x)), function(j) unname(x[, j])))
    names(table) <- unique_names(c("id", names), what)
    return(table)
  }
  if (!is.data.frame(x)) stop_with(sprintf("%s is of the class %s", what, paste(class(x), collapse = "/")), "give a data frame, a matrix or the path of a file")
  if (!ncol(x)) stop_with("has no columns", "the first is the id, the others are features", file = what)
  table <- as.list(x)
  labels <- attr(x, "row.names")
  if (is.character(labels) && !labelled_by_first(table[[1]], labels, entries)) table <- c(list(id = labels), table)
  ids <- tryCatch(encode_ids(table[[1]], "the ids"), optcomplete_error = function(e) {
    stop_with(sprintf("the first column, \"%s\", is taken as the ids, but %s", names(table)[1], sub("^the ids: ", "", e$problem)),
      "make the ids the first column, or the row names", file = what)
  })
  table[[1]] <- ids
  names(table) <- unique_names(names(table), what)
  lapply(table, function(v) if (inherits(v, "difftime")) as.numeric(v) else v)
}

# Row names are ids, unless it is the first column that names columns of the matrix.
labelled_by_first <- function(first, labels, entries) {
  known <- entries$source$column
  if (is.null(known)) return(FALSE)
  known <- if (is.factor(known)) levels(known) else as.character(unique(known))
  !any(labels %in% known) && any(as.character(first) %in% known)
}

unique_names <- function(names, what) {
  if (anyDuplicated(names)) stop_with(sprintf("two columns are called \"%s\"", names[anyDuplicated(names)]), "give each a name of its own", file = what)
  names
}

# Pairs of a row and a column: a frame, or a matrix of two columns.
pairs_of <- function(x, names = list()) {
  if (is.matrix(x)) x <- as.data.frame(x)
  if (!is.data.frame(x)) stop_with(sprintf("pairs are of the class %s", paste(class(x), collapse = "/")), "give a data frame with the columns row and column")
  at <- locate(base::names(x), names, list(c("row", "column"), c("userId", "movieId")), "pairs")
  list(row = encode_ids(x[[at[1]]], "its rows", "pairs"), column = encode_ids(x[[at[2]]], "its columns", "pairs"))
}

# Name a source in a request: a path as it is, a table by its name among those to be sent.
named <- function(source, name, tables) {
  if (is.character(source)) return(list(name = source, tables = tables))
  tables[[name]] <- source
  list(name = name, tables = tables)
}
