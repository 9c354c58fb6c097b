# A running `optcomplete serve`, and the protocol that it speaks (docs/protocol.md of OptComplete).

.protocol <- 1
.patience <- 5 # seconds for a process to end by itself
.piece <- 65536 # bytes that are written to a pipe at once

.is_it <- "check that it is the optcomplete program, of this platform; options(optcomplete.program = \"...\") names another"

# A session is an environment, so that it ends when it is forgotten. It also ends when R ends, and when R is
# killed: the process's input ends then.
new_session <- function() {
  program <- optcomplete_program()
  s <- new.env(parent = emptyenv())
  s$said <- character(0)
  s$lines <- list()
  s$number <- 0
  s$models <- 0
  s$pid <- Sys.getpid()
  s$process <- tryCatch(
    processx::process$new(program, "serve", stdin = "|", stdout = "|", stderr = "|", encoding = "UTF-8", cleanup = TRUE),
    error = function(e) stop_with(sprintf("%s cannot be started: %s", program, conditionMessage(e)), .is_it)
  )
  reg.finalizer(s, end_session, onexit = TRUE)
  hello <- tryCatch(next_line(s), optcomplete_error = function(e) {
    end_session(s)
    stop_with(e$problem, if (endsWith(e$problem, ")")) "" else .is_it, file = program)
  })
  if (!identical(as.numeric(hello$protocol), .protocol)) {
    end_session(s)
    stop_with(
      sprintf("%s speaks protocol %s, this package %s", program, format(hello$protocol), .protocol),
      "install the program and the package of the same version"
    )
  }
  s$folder <- hello$folder
  s
}

# Whether this process can ask a session: one forked from it cannot.
alive <- function(s) !is.null(s) && s$pid == Sys.getpid() && s$process$is_alive()

# End a session's process and remove its folder.
end_session <- function(s) {
  if (s$pid != Sys.getpid()) return(invisible())
  try(close(s$process$get_input_connection()), silent = TRUE)
  s$process$wait(timeout = 1000 * .patience)
  if (s$process$is_alive()) s$process$kill()
  if (!is.null(s$folder)) unlink(s$folder, recursive = TRUE)
  invisible()
}

kill_session <- function(s) {
  s$process$kill()
  end_session(s)
}

# Run a verb. An interrupt asks it for the best answer so far; a second one ends it.
ask <- function(s, verb, arguments = character(0), options = list(), tables = list(), on_event = NULL) {
  s$number <- s$number + 1
  contents <- Map(arrow_stream, tables, names(tables))
  request <- list(
    id = s$number,
    verb = verb,
    arguments = as.list(as.character(arguments)),
    options = options_of(options, names(tables)),
    tables = unname(Map(function(content, name) list(name = name, bytes = sum(lengths(content))), contents, names(tables)))
  )
  send(s, request, contents)
  answer <- wait_for(s, s$number, on_event)
  if (!is.null(answer$error)) {
    if (answer$exit == 130) stop_interrupted()
    stop_for(answer$error, tables)
  }
  answer
}

# As if the interrupt had not been caught.
stop_interrupted <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  stop_with("interrupted before there was a result")
}

send <- function(s, request, contents) {
  complete <- FALSE
  on.exit(if (!complete) kill_session(s)) # half a request is none
  line <- jsonlite::toJSON(request, auto_unbox = TRUE, digits = NA, null = "null")
  tryCatch(
    {
      write_all(s, charToRaw(paste0(enc2utf8(line), "\n")))
      for (content in contents) for (bytes in content) write_all(s, bytes)
    },
    error = function(e) gone(s)
  )
  complete <- TRUE
}

write_all <- function(s, bytes) {
  for (from in seq(1, by = .piece, length.out = ceiling(length(bytes) / .piece))) {
    left <- bytes[from:min(length(bytes), from + .piece - 1)]
    while (length(left)) {
      before <- length(left)
      left <- s$process$write_input(left)
      if (length(left) == before) take(s, 5) # the pipe is full: meanwhile, what the program says is read
    }
  }
}

# Interrupts are felt only where nothing can be lost: while waiting, and in the receiver of events.
wait_for <- function(s, number, on_event) {
  cancelled <- FALSE
  complete <- FALSE
  on.exit(if (!complete) kill_session(s)) # nobody waits for the answer any more
  suspendInterrupts(repeat {
    interrupted <- FALSE
    line <- tryCatch(next_line(s), interrupt = function(e) NULL)
    if (is.null(line)) {
      interrupted <- TRUE
    } else if (identical(as.numeric(line$id), as.numeric(number))) {
      if (isTRUE(line$answer)) break
      if (!is.null(on_event)) tryCatch(allowInterrupts(on_event(line)), interrupt = function(e) interrupted <<- TRUE)
    }
    if (interrupted && cancelled) stop_interrupted()
    if (interrupted) write_all(s, charToRaw(sprintf("{\"cancel\":%d}\n", number)))
    cancelled <- cancelled || interrupted
  })
  complete <- TRUE
  line
}

# The next line, as a list; s$text has it as it came.
next_line <- function(s) {
  suspendInterrupts({
    while (!length(s$lines)) if (!take(s, 500)) gone(s)
    line <- s$lines[[1]]
    s$lines <- s$lines[-1]
    s$text <- line
  })
  tryCatch(jsonlite::fromJSON(line, simplifyMatrix = FALSE), error = function(e) {
    stop_with(sprintf("answered \"%s\", which is not the protocol", substr(line, 1, 60)))
  })
}

# Read what the process has said, waiting some milliseconds for it; FALSE if there is nothing to come.
take <- function(s, milliseconds) {
  allowInterrupts(ready <- s$process$poll_io(milliseconds))
  if (ready[["output"]] == "ready") s$lines <- c(s$lines, as.list(s$process$read_output_lines()))
  if (ready[["error"]] == "ready") s$said <- utils::tail(c(s$said, s$process$read_error_lines()), 50)
  length(s$lines) > 0 || s$process$is_incomplete_output()
}

gone <- function(s) {
  s$process$wait(timeout = 1000 * .patience)
  code <- s$process$get_exit_status()
  s$said <- c(s$said, try(s$process$read_all_error_lines(), silent = TRUE))
  said <- trimws(paste(s$said, collapse = "\n"))
  stop_with(
    sprintf("the optcomplete process ended with exit code %s%s", if (is.null(code)) "unknown" else code, if (nzchar(said)) paste0(": ", said) else ""),
    if (isTRUE(code %in% c(-9, 137))) "it may have had too little memory" else ""
  )
}
