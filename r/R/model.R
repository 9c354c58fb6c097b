# A fitted model: the files of its folder, so that it can be saved with saveRDS and used by forked processes,
# and while R runs a session that has them in its own folder.

.running <- new.env(parent = emptyenv()) # sessions of models, by the models' keys
.running$left <- list() # those of a parent process, which are only let go of with this one

new_model_folder <- function(s) {
  s$models <- s$models + 1
  file.path(s$folder, paste0("model-", s$models))
}

new_model <- function(s, folder) {
  model <- new.env(parent = emptyenv())
  model$key <- paste(basename(s$folder), basename(folder))
  model$files <- read_files(folder)
  keep_running(model, s, folder)
  model
}

read_files <- function(folder) {
  paths <- list.files(folder, all.files = TRUE, no.. = TRUE, full.names = TRUE)
  files <- lapply(paths, function(path) readBin(path, "raw", file.size(path)))
  names(files) <- basename(paths)
  files
}

write_files <- function(files, folder) {
  dir.create(folder, showWarnings = FALSE)
  for (name in names(files)) writeBin(files[[name]], file.path(folder, name))
}

keep_running <- function(model, s, folder) {
  .running[[model$key]] <- list(session = s, folder = folder)
  reg.finalizer(model, function(m) if (exists(m$key, .running, inherits = FALSE)) rm(list = m$key, envir = .running))
}

# The session and the folder of a model.
running <- function(fit) {
  model <- fit$model
  now <- .running[[model$key]]
  if (is.null(now) || !alive(now$session)) {
    if (!is.null(now)) .running$left <- c(.running$left, list(now))
    s <- new_session()
    folder <- new_model_folder(s)
    write_files(model$files, folder)
    keep_running(model, s, folder)
    now <- list(session = s, folder = folder)
  }
  now
}

model_folder <- function(fit) running(fit)$folder

ask_model <- function(fit, verb, arguments = character(0), options = list(), tables = list(), warn = TRUE) {
  now <- running(fit)
  ask_watched(now$session, verb, c(now$folder, arguments), options, tables, FALSE, warn)
}

# A table of an answer. It passes through the session's own folder.
ask_table <- function(fit, verb, arguments = character(0), options = list(), tables = list(), raw_names = TRUE) {
  path <- file.path(running(fit)$session$folder, "answer.csv")
  on.exit(unlink(path))
  options$output <- path
  options$raw_names <- raw_names
  ask_model(fit, verb, arguments, options, tables)
  read_answer(path)
}

read_answer <- function(path) {
  texts <- intersect(strsplit(readLines(path, 1, encoding = "UTF-8"), ",")[[1]], c("row", "column", "basis", "name"))
  table <- data.table::fread(path,
    sep = ",", header = TRUE, quote = "\"", na.strings = NULL, encoding = "UTF-8", strip.white = FALSE,
    colClasses = list(character = texts), data.table = FALSE, showProgress = FALSE
  )
  # A quote in a text is written twice.
  for (name in texts) if (any(grepl("\"\"", table[[name]], fixed = TRUE))) table[[name]] <- gsub("\"\"", "\"", table[[name]], fixed = TRUE)
  table
}
