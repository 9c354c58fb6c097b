# What a fitted model is asked.

predict.optcomplete <- function(object, newdata, interval = NULL, basis = FALSE, features = NULL, skip_unknown = FALSE,
                                row_name = NULL, column_name = NULL, ...) {
  refuse_others(...)
  if (missing(newdata)) {
    newdata <- entries_again(object, NULL, parent.frame())$source[c("row", "column")]
    row_name <- column_name <- NULL
    newdata <- as.data.frame(newdata)
  }
  pairs <- pairs_of(newdata, list(first_of(row_name, object$names$row), first_of(column_name, object$names$column)))
  got <- predicted(object, pairs, features, interval, skip_unknown)
  if (is.null(interval) && !basis) return(got$prediction)
  table <- data.frame(fit = got$prediction)
  if (!is.null(interval)) table[c("lwr", "upr")] <- got[c("low", "high")]
  if (basis) table$basis <- got$basis
  table
}

first_of <- function(a, b) if (is.null(a)) b else a

# One record for each pair; NA where it was skipped.
predicted <- function(fit, pairs, features = NULL, interval = NULL, skip_unknown = FALSE) {
  if (!is.null(interval) && (!is.numeric(interval) || length(interval) != 1 || !(interval >= 0.01 && interval < 1))) {
    stop_with(sprintf("interval is %s", format(interval)), "it is a probability, at least 0.01 and less than 1: 0.9 for nine in ten")
  }
  if (!length(pairs$row)) return(data.frame(row = character(0), column = character(0), prediction = numeric(0), basis = character(0), low = numeric(0), high = numeric(0))[, if (is.null(interval)) 1:4 else 1:6])
  sent <- list(name = NULL, tables = list(pairs = pairs))
  if (!is.null(features)) sent <- named(features_of(features), "features", sent$tables)
  options <- list(features = sent$name, skip_unknown = skip_unknown)
  if (!is.null(interval)) options$interval <- 100 * interval
  got <- ask_table(fit, "predict", "pairs", Filter(Negate(is.null), options), sent$tables)
  if (nrow(got) == length(pairs$row)) return(got)
  # Some were skipped: which, their names tell.
  kept <- paste(got$row, got$column, sep = "\r")
  got[match(paste(pairs$row, pairs$column, sep = "\r"), kept), , drop = FALSE]
}

# The entries of a fit, evaluated again in the frame that asks, as update() does; or others in their place.
entries_again <- function(fit, data, frame) {
  if (is.null(data)) {
    if (is.null(fit$call)) stop_with("a loaded model does not know the entries that it was fitted to", "give them")
    data <- tryCatch(eval(fit$call$ratings, frame), error = function(e) {
      stop_with(sprintf("the entries that were fitted to, %s, are not there any more", deparse(fit$call$ratings)[1]), "give them")
    })
  }
  if (is_path(data)) stop_with("entries are those of a file", "read it, for instance with data.table::fread, and give the frame")
  entries_of(data, fit$names)
}

fitted.optcomplete <- function(object, ratings = NULL, ...) {
  refuse_others(...)
  predicted(object, entries_again(object, ratings, parent.frame())$source[c("row", "column")])$prediction
}

residuals.optcomplete <- function(object, ratings = NULL, ...) {
  refuse_others(...)
  source <- entries_again(object, ratings, parent.frame())$source
  as.numeric(source$value) - predicted(object, source[c("row", "column")])$prediction
}

nobs.optcomplete <- function(object, ...) object$summary$observed

coef.optcomplete <- function(object, rows = NULL, ...) {
  refuse_others(...)
  content <- function(options) ask_model(object, "explain", options = c(options, list(json = TRUE)), warn = FALSE)$json
  if (is.null(rows)) {
    terms <- terms_of(object)
    values <- structure(if (is.null(terms$population)) terms$coefficient else terms$population, names = terms$name)
    mean <- content(list())$mean
    return(if (is.null(mean)) values else c("(Intercept)" = mean, values))
  }
  texts <- id_text(rows)
  values <- lapply(texts, function(text) {
    terms <- content(list(row = text, top = 1))$terms
    if (!is.data.frame(terms)) stop_with("the rows of this model have no coefficients of their own", "leave rows out")
    structure(as.numeric(terms$row), names = terms$name)
  })
  matrix(unlist(values), length(texts), byrow = TRUE, dimnames = list(texts, names(values[[1]])))
}

completed <- function(fit, rows = NULL, wide = NULL, mark_observed = FALSE, keep_observed = NULL, drop_unknown = FALSE) {
  if (is.null(wide)) wide <- fit$wide
  if (wide && mark_observed) stop_with("a matrix has no place for marks", "use wide = FALSE")
  options <- list(mark_observed = mark_observed)
  if (!is.null(rows)) options$rows <- as.list(id_text(rows))
  sent <- list(tables = list())
  if (!is.null(keep_observed)) {
    sent <- named(entries_of(keep_observed, fit$names)$source, "kept", list())
    options$keep_observed <- sent$name
    options$drop_unknown <- drop_unknown
  }
  table <- ask_table(fit, "complete", options = options, tables = sent$tables)
  if (!wide) return(typed(fit, table))
  row <- as_factor(table$row)
  column <- as_factor(table$column)
  values <- matrix(NA_real_, nlevels(row), nlevels(column), dimnames = list(levels(row), levels(column)))
  values[cbind(as.integer(row), as.integer(column))] <- table$value
  if (is.null(fit$ids$size)) return(values)
  # As the ratings were, with rows and columns that have no entry.
  rows <- if (is.null(rows)) as.character(fit$ids$row_labels) else id_text(rows)
  columns <- as.character(fit$ids$column_labels)
  full <- values[match(rows, rownames(values)), match(columns, colnames(values)), drop = FALSE]
  missing <- which(is.na(full), arr.ind = TRUE)
  dimnames(full) <- list(rows, columns)
  if (nrow(missing)) full[missing] <- predicted(fit, list(row = as_factor(rows[missing[, 1]]), column = as_factor(columns[missing[, 2]])))$prediction
  if (is.integer(fit$ids$rows)) rownames(full) <- NULL
  if (is.integer(fit$ids$columns)) colnames(full) <- NULL
  full
}

# A table with the ids as they were given.
typed <- function(fit, table) {
  table$row <- decode_ids(table$row, fit$ids$rows)
  table$column <- decode_ids(table$column, fit$ids$columns)
  table
}

.many <- 20 # rows from which on recommendations for all rows are faster

recommend <- function(object, ...) UseMethod("recommend")

recommend.optcomplete <- function(object, rows = NULL, n = 10, keep_seen = FALSE, ratings = NULL, features = NULL, drop_unknown = FALSE,
                                  lowest = FALSE, caution = NULL, least_entries = 0, diversity = 0, names = NULL, weight = NULL, ...) {
  refuse_others(...)
  options <- list(top = n, keep_seen = keep_seen, lowest = lowest, least_entries = least_entries, diversity = diversity, caution = caution)
  sent <- list(tables = list())
  if (!is.null(names)) {
    sent <- named(features_of(names, NULL, "names"), "names", sent$tables)
    options$names <- sent$name
  }
  if (!is.null(ratings)) {
    more <- entries_of(ratings, object$names, weight = weight)
    sent <- named(more$source, "ratings", sent$tables)
    options[c("ratings", "drop_unknown")] <- list(sent$name, drop_unknown)
    options$weight <- first_of(more$weight, weight)
  }
  if (!is.null(features)) {
    sent <- named(features_of(features), "features", sent$tables)
    options$features <- sent$name
  }
  options <- Filter(Negate(is.null), options)
  get <- function(which) ask_table(object, "recommend", options = c(options, which), tables = sent$tables)
  if (is.null(rows)) return(typed(object, get(list(all = TRUE))))
  texts <- unique(id_text(rows))
  if (!length(texts)) return(typed(object, get(list(all = TRUE))[0, ]))
  all <- if (length(texts) > .many) get(list(all = TRUE))
  found <- all[all$row %in% texts, ]
  rest <- lapply(setdiff(texts, found$row), function(text) get(list(row = text)))
  found <- do.call(rbind, c(list(found), rest))
  typed(object, found[order(match(found$row, texts)), ])
}

explain.optcomplete <- function(x, row = NULL, column = NULL, top = 5, features = NULL, names = NULL, ...) {
  refuse_others(...)
  if (!is.null(column) && is.null(row)) stop_with("a prediction is of a row and a column", "give the row, too")
  options <- list(top = top)
  if (!is.null(row)) options$row <- id_text(row)
  if (!is.null(column)) options$column <- id_text(column)
  sent <- list(tables = list())
  if (!is.null(features)) {
    sent <- named(features_of(features), "features", sent$tables)
    options$features <- sent$name
  }
  if (!is.null(names)) {
    sent <- named(features_of(names, NULL, "names"), "names", sent$tables)
    options$names <- sent$name
  }
  content <- ask_model(x, "explain", options = c(options, list(json = TRUE)), tables = sent$tables)$json
  text <- ask_model(x, "explain", options = options, tables = sent$tables, warn = FALSE)$text
  structure(content, text = text, class = "optcomplete_explanation")
}

print.optcomplete_explanation <- function(x, ...) {
  cat(attr(x, "text"))
  invisible(x)
}

report <- function(object, ...) UseMethod("report")

report.optcomplete <- function(object, file = NULL, path = NULL, names = NULL, ...) {
  refuse_others(...)
  options <- list()
  sent <- list(tables = list())
  if (!is.null(names)) {
    sent <- named(features_of(names, NULL, "names"), "names", sent$tables)
    options$names <- sent$name
  }
  if (inherits(path, "optcomplete_path")) {
    saved <- file.path(running(object)$session$folder, "path.json")
    on.exit(unlink(saved))
    writeLines(path$json, saved, useBytes = TRUE)
    options$path <- saved
  } else if (!is.null(path)) {
    options$path <- path
  }
  page <- ask_model(object, "report", options = options, tables = sent$tables)$text
  if (!is.null(file)) writeLines(enc2utf8(page), file, useBytes = TRUE)
  structure(list(html = page, file = file), class = "optcomplete_report")
}

print.optcomplete_report <- function(x, ...) {
  if (is.null(x$file) && interactive()) {
    x$file <- tempfile("report-", fileext = ".html")
    writeLines(enc2utf8(x$html), x$file, useBytes = TRUE)
  }
  if (interactive()) utils::browseURL(x$file)
  cat(sprintf("<optcomplete report, %s characters%s>\n", format(nchar(x$html), big.mark = ","), if (is.null(x$file)) ": report(fit, file = \"report.html\") writes it" else paste(" in", x$file)))
  invisible(x)
}

evaluate.optcomplete <- function(x, ratings, features = NULL, weights = NULL, drop_unknown = FALSE, missing = NULL, duplicates = "error", places = 10,
                                 relevant = NULL, resamples = 1000, caution = 1, diversity = 0, least_entries = 0, split = "all",
                                 time_name = NULL, weight = NULL, ...) {
  refuse_others(...)
  time <- first_of(time_name, x$settings$time_name)
  entries <- entries_of(ratings, x$names, weights = weights, weight = first_of(weight, own_weight(x, ratings)), time_name = time)
  options <- list(
    drop_unknown = drop_unknown, missing = missing, duplicates = duplicates, places = places, relevant = relevant, resamples = resamples,
    caution = caution, diversity = diversity, least_entries = least_entries, split = split, time_name = if (split == "time") time else time_name,
    weight = first_of(entries$weight, weight), json = TRUE
  )
  sent <- named(entries$source, "ratings", list())
  argument <- sent$name
  if (!is.null(features)) {
    sent <- named(features_of(features), "features", sent$tables)
    options$features <- sent$name
  }
  ask_model(x, "evaluate", argument, Filter(Negate(is.null), options), sent$tables)$json
}

# The column of weights of the fit, if further entries have it too.
own_weight <- function(fit, ratings) if (!is.null(fit$weight) && fit$weight %in% colnames(ratings)) fit$weight

fold_in <- function(object, ...) UseMethod("fold_in")

fold_in.optcomplete <- function(object, ratings, features = NULL, weights = NULL, drop_unknown = FALSE, missing = NULL, duplicates = "error", weight = NULL, ...) {
  refuse_others(...)
  entries <- entries_of(ratings, object$names, weights = weights, weight = first_of(weight, own_weight(object, ratings)))
  now <- running(object)
  folder <- new_model_folder(now$session)
  options <- list(output = folder, weight = first_of(entries$weight, weight), drop_unknown = drop_unknown, missing = missing, duplicates = duplicates)
  sent <- named(entries$source, "ratings", list())
  argument <- sent$name
  if (!is.null(features)) {
    sent <- named(features_of(features), "features", sent$tables)
    options$features <- sent$name
  }
  ask_model(object, "fold-in", argument, Filter(Negate(is.null), options), sent$tables)
  object$model <- new_model(now$session, folder)
  object$ids[c("row_labels", "column_labels", "size")] <- NULL
  object$call <- NULL
  object
}
