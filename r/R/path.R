# The path over k.

path <- function(x, ...) UseMethod("path")

path.default <- function(
  x, features = NULL,
  # settings: path, made by `make settings`
  k_max = NULL,
  threads = NULL,
  seed = 1,
  engine = NULL,
  engine_program = NULL,
  engine_from = NULL,
  engine_tasks = NULL,
  engine_folder = NULL,
  id = NULL,
  drop_unknown = FALSE,
  min_entries = NULL,
  missing = NULL,
  row_name = NULL,
  column_name = NULL,
  value_name = NULL,
  delimiter = NULL,
  format = NULL,
  weight = NULL,
  duplicates = "error",
  features_config = NULL,
  field = NULL,
  group = NULL,
  max_levels = 20,
  separator = NULL,
  blank = NULL,
  scale = "zscore",
  keep = FALSE,
  complete_features = FALSE,
  always = NULL,
  at_most = NULL,
  never = NULL,
  model = "full",
  gamma = "auto",
  gamma0 = NULL,
  gamma_factor = "auto",
  column_shrinkage = NULL,
  refit = "auto",
  loss = "auto",
  delta = NULL,
  nonnegative = NULL,
  clip = "auto",
  gap = NULL,
  memory = NULL,
  time_limit = NULL,
  search_time = "2m",
  max_nodes = NULL,
  near_ties = 5,
  effects = "shrunk",
  constants = FALSE,
  heredity = "none",
  split = "random",
  time_name = NULL,
  folds = 5,
  repeats = NULL,
  bootstrap = NULL,
  bootstrap_k = NULL,
  # end of settings
  row_features = NULL, weights = NULL, wide = NULL, progress = NULL, ...
) {
  refuse_others(...)
  if (is.null(k_max)) stop_with("up to how many features?", "give their number with k_max")
  options <- given()
  entries <- entries_of(x, list(row = row_name, column = column_name, value = value_name), wide, weights, weight, time_name)
  sent <- sources_of(entries, features, row_features, options)
  s <- new_session()
  on.exit(end_session(s))
  answer <- ask_watched(s, "path", sent$argument, c(sent$options, list(json = TRUE)), sent$tables, progress)
  summary <- answer$json
  points <- summary$path
  one <- if (isTRUE(summary$chosen > 0)) points$selected[[match(summary$chosen, points$k)]] else character(0)
  structure(
    list(
      points = points, best = summary$best, chosen = summary$chosen, selected = one,
      measure = if (is.null(summary$measure)) "RMSE" else summary$measure, summary = summary,
      json = jsonlite::toJSON(jsonlite::fromJSON(s$text, simplifyVector = FALSE)$json, auto_unbox = TRUE, digits = I(17))
    ),
    class = "optcomplete_path"
  )
}

# The path of a fit's own data and settings.
path.optcomplete <- function(x, k_max = 2 * x$summary$k, ...) {
  if (is.null(x$call)) stop_with("a loaded or extended model does not know the data that it was fitted to", "call path() with them")
  call <- x$call
  call[[1]] <- quote(optcomplete::path)
  names(call)[names(call) == "ratings"] <- "x"
  call$k <- NULL
  for (name in setdiff(names(call)[-1], c("x", names(formals(path.default))))) call[[name]] <- NULL
  more <- list(k_max = k_max, ...)
  for (name in names(more)) call[[name]] <- more[[name]]
  eval(call, parent.frame())
}

as.data.frame.optcomplete_path <- function(x, ...) {
  x$points[intersect(c("k", "train_rmse", "validation_rmse", "standard_error", "cost", "bound", "gap", "status", "selected"), names(x$points))]
}

print.optcomplete_path <- function(x, ...) {
  p <- x$points
  cat(sprintf("Path over k: error is %s\n\n", x$measure))
  shown <- data.frame(k = p$k, training = signif(p$train_rmse, 5))
  if (!is.null(p$validation_rmse)) shown$validation <- sprintf("%s +- %s", signif(p$validation_rmse, 5), signif(p$standard_error, 2))
  shown$gap <- if (is.null(p$gap)) "" else vapply(p$gap, function(g) if (is.na(g)) "" else percent_up(g), "")
  shown$entering <- if (is.null(p$entering)) "" else vapply(p$entering, paste, "", collapse = ", ")
  print(shown, row.names = FALSE, right = FALSE)
  if (isTRUE(x$chosen > 0)) cat(sprintf("\nLeast error at k = %d; within one standard error of it from k = %d on\n", x$best, x$chosen))
  invisible(x)
}
