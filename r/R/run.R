# Any verb, as the command line has it.

optcomplete_run <- function(verb, ..., progress = FALSE) {
  given <- list(...)
  names <- if (is.null(names(given))) character(length(given)) else names(given)
  tables <- list()
  name_of <- function(x, name) {
    if (!is.data.frame(x)) return(x)
    # Whole numbers are doubles in R more often than not, and ids must be whole.
    table <- lapply(x, function(v) if (is.double(v) && !is.object(v) && all(is.na(v) | v == floor(v) & abs(v) < 2^31)) as.integer(v) else v)
    tables[[name]] <<- table
    name
  }
  arguments <- given[names == ""]
  arguments <- mapply(name_of, arguments, sprintf("argument %d", seq_along(arguments)), USE.NAMES = FALSE)
  options <- Map(name_of, given[names != ""], names[names != ""])
  s <- new_session()
  on.exit(end_session(s))
  answer <- ask_watched(s, verb, as.character(unlist(arguments)), options, tables, progress)
  if (!is.null(answer$json)) return(answer$json)
  structure(list(text = answer$text), class = "optcomplete_text")
}

print.optcomplete_text <- function(x, ...) {
  cat(x$text)
  invisible(x)
}
