# complete_matrix: select features, complete the matrix.

complete_matrix <- function(
  ratings, features = NULL,
  # settings: fit, made by `make settings`
  k = NULL,
  threads = NULL,
  seed = 1,
  engine = NULL,
  engine_program = NULL,
  engine_from = NULL,
  engine_tasks = NULL,
  dry_run = FALSE,
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
  sampling = "auto",
  checkpoint = NULL,
  warm_start = NULL,
  memory = NULL,
  time_limit = NULL,
  search_time = "2m",
  max_nodes = NULL,
  near_ties = 5,
  method = "certified",
  residual_rank = "0",
  solver = "embedded",
  solver_path = NULL,
  sample_rows = 100,
  sample_constant = 1,
  certify = FALSE,
  save_cuts = NULL,
  effects = "shrunk",
  constants = FALSE,
  heredity = "none",
  holdout = NULL,
  holdout_rows = NULL,
  holdout_columns = NULL,
  split = "random",
  time_name = NULL,
  proof = NULL,
  # end of settings
  row_features = NULL, weights = NULL, wide = NULL, progress = NULL, ...
) {
  refuse_others(...)
  options <- given()
  call <- match.call()
  names <- list(row = row_name, column = column_name, value = value_name)
  entries <- entries_of(ratings, names, wide, weights, weight, time_name)
  sent <- sources_of(entries, features, row_features, options)
  s <- new_session()
  folder <- new_model_folder(s)
  answer <- ask_watched(s, "fit", sent$argument, c(sent$options, list(output = folder, json = TRUE)), sent$tables, progress)
  if (!dir.exists(folder)) return(answer$json) # of dry_run
  fit <- learned(new_model(s, folder), answer$json, entries, names, answer$trace)
  fit$call <- call
  fit$settings <- options
  fit
}

# What a request for entries and features names, and the tables that go with it.
sources_of <- function(entries, features, row_features, options) {
  if (!is.null(entries$weight)) options$weight <- entries$weight
  if (!is_path(entries$source)) options[c("row_name", "column_name", "value_name", "format", "delimiter")] <- NULL
  sent <- named(entries$source, "ratings", list())
  argument <- sent$name
  if (!is.null(features)) {
    sent <- named(features_of(features, entries), "features", sent$tables)
    options$features <- sent$name
  }
  if (!is.null(row_features)) {
    sent <- named(features_of(row_features, NULL, "row_features"), "row_features", sent$tables)
    options$row_features <- sent$name
  }
  list(argument = argument, options = options, tables = sent$tables)
}

learned <- function(model, summary, entries, names = list(), trace = NULL) {
  structure(
    list(
      selected = as.character(summary$selected),
      certificate = certificate_of(summary),
      summary = summary,
      call = NULL,
      settings = list(),
      names = names,
      weight = if (!identical(entries$weight, .given_weights)) entries$weight,
      ids = entries[c("rows", "columns", "row_labels", "column_labels", "size")],
      wide = isTRUE(entries$wide),
      trace = trace,
      model = model
    ),
    class = "optcomplete"
  )
}

certificate_of <- function(summary) {
  number <- function(name) if (is.null(summary[[name]])) NA_real_ else summary[[name]]
  structure(
    list(
      status = summary$status, cost = number("cost"), bound = number("bound"), gap = number("gap"),
      certified = if (is.null(summary$certified)) TRUE else summary$certified, gamma = number("gamma"),
      near_ties = if (is.data.frame(summary$near_ties)) summary$near_ties, gamma_path = if (is.data.frame(summary$gamma_path)) summary$gamma_path,
      proof = proof_of(summary)
    ),
    class = "optcomplete_certificate"
  )
}

# The certificate in a sentence.
proof_of <- function(summary) {
  if (summary$status == "fitted") return("nothing was selected, so there is nothing to prove")
  if (identical(summary$certified, FALSE)) return("found on samples; nothing is proven")
  if (summary$status == "optimal") return("proven optimal: no other selection of as many features costs less")
  if (is.null(summary$gap)) return("nothing is proven")
  sprintf("proven to be within %s of the best possible (%s)", percent_up(summary$gap), gsub("_", " ", summary$status))
}

save_model <- function(fit, path) {
  if (file.exists(path) && !dir.exists(path)) stop_with("is a file, so no model is written there", "name a folder", file = path)
  if (length(list.files(path, all.files = TRUE, no.. = TRUE)) && !file.exists(file.path(path, "model.json"))) {
    stop_with("is a folder that holds something else than a model, so it is not replaced", "name another place", file = path)
  }
  new <- file.path(dirname(path), sprintf(".%s.%d", basename(path), Sys.getpid()))
  on.exit(unlink(new, recursive = TRUE))
  dir.create(dirname(path), recursive = TRUE, showWarnings = FALSE)
  write_files(fit$model$files, new)
  unlink(path, recursive = TRUE)
  if (!suppressWarnings(file.rename(new, path))) stop_with("cannot be written", "name another place", file = path)
  invisible(fit)
}

load_model <- function(path) {
  if (!file.exists(file.path(path, "model.json"))) stop_with("is not a saved model: it has no model.json", "name the folder that save_model() or fit -o wrote", file = path)
  model <- new.env(parent = emptyenv())
  model$files <- read_files(path)
  model$key <- paste(normalizePath(path), as.numeric(Sys.time()), Sys.getpid())
  summary <- jsonlite::fromJSON(rawToChar(model$files[["model.json"]]), simplifyMatrix = FALSE)
  fit <- learned(model, summary, list(rows = character(0), columns = character(0)))
  fit$settings <- recorded(summary)
  fit
}
