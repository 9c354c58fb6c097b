# Shows events: as one line that changes where somebody looks, and not at all elsewhere.

# A receiver of events, and what it gathers of them: a function, with the events of the search as its attribute.
new_watch <- function(progress, warn = TRUE) {
  if (is.null(progress)) progress <- interactive() && isatty(stderr())
  if (!is.function(progress) && !identical(progress, "log") && !(is.logical(progress) && length(progress) == 1 && !is.na(progress))) {
    stop_with("progress is none of the things it can be", "use TRUE, FALSE, NULL, \"log\" or a function of one event")
  }
  w <- new.env(parent = emptyenv())
  w$trace <- list()
  w$shown <- 0
  w$last <- -Inf
  w$hear <- function(event) {
    kind <- event$event
    if (kind == "search") w$trace[[length(w$trace) + 1]] <- event[intersect(names(event), c("k", "cost", "bound", "gap", "seconds", "nodes", "sampled"))]
    if (is.function(progress)) progress(event)
    if (kind == "warning" && warn) {
      clear_line(w)
      warn_with(in_r(event$text))
    }
    if (identical(progress, "log") && kind %in% c("log", "warning")) message(if (kind == "warning") "warning: ", event$text)
    if (isTRUE(progress)) {
      text <- event_text(event)
      now <- proc.time()[["elapsed"]]
      if (nzchar(text) && now - w$last >= 0.2) {
        cat("\r", formatC(text, width = -w$shown), sep = "", file = stderr())
        w$shown <- nchar(text)
        w$last <- now
      }
    }
  }
  w
}

clear_line <- function(w) {
  if (w$shown) cat("\r", strrep(" ", w$shown), "\r", sep = "", file = stderr())
  w$shown <- 0
}

event_text <- function(event) {
  switch(event$event,
    search = {
      if (is.null(event$cost)) return(sprintf("k = %s: searching", event$k))
      text <- sprintf("k = %s: cost %s", event$k, signif(event$cost, 6))
      if (!is.null(event$gap) && event$gap <= 1) text <- sprintf("%s, %sgap %s", text, if (isTRUE(event$sampled)) "sampled " else "", percent_up(event$gap))
      sprintf("%s, %s nodes", text, if (is.null(event$nodes)) 0 else event$nodes)
    },
    gamma = sprintf("gamma %s: validation RMSE %s", signif(event$gamma, 3), signif(if (is.null(event$rmse)) 0 else event$rmse, 5)),
    task = if (is.null(event$total)) {
      sprintf("%s: %s %s", event$label, format(event$done, big.mark = ","), event$unit)
    } else {
      sprintf("%s: %.0f %%", event$label, floor(100 * event$done / event$total))
    },
    ""
  )
}

# A gap in per cent, rounded up so that what is said is true.
percent_up <- function(gap) if (gap > 0 && gap <= 1e-8) "<1e-6 %" else sprintf("%s %%", format(ceiling(gap * 1e4) / 100, digits = 10))

# Run a verb in a session and show its events.
ask_watched <- function(s, verb, arguments, options, tables, progress, warn = TRUE) {
  w <- new_watch(progress, warn)
  on.exit(clear_line(w))
  answer <- ask(s, verb, arguments, options, tables, w$hear)
  answer$trace <- data.table::rbindlist(w$trace, fill = TRUE)
  data.table::setDF(answer$trace)
  answer
}
