// Programs that a command runs and waits for. A signal that would end the command ends what it runs: from
// take_signals() on it goes on to the child, and the command cleans up, says what there is, and ends by it. A terminal
// sends its signals to both by itself.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { kEnding = sizeof ending / sizeof *ending };

static struct sigaction before[kEnding]; // what the signals did when the command began
static volatile sig_atomic_t last_signal;
static volatile pid_t child;

static void pass_on(int signal, siginfo_t* from, void* context) {
  (void)context;
  int saved = errno;
  last_signal = signal;
  if (child > 0 && from->si_code <= 0) kill(child, signal); // of a process, not of the terminal
  errno = saved;
}

void take_signals(void) {
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < kEnding; ++i) {
    sigaction(ending[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(ending[i], &action, NULL); // nohup's stay ignored
  }
}

int interrupted(void) { return last_signal; }

pid_t start_child(void) {
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old); // none between the fork and the note of its number
  fflush(NULL);
  pid_t started = fork();
  if (started < 0) die("fork: %s", strerror(errno));
  if (started > 0) child = started;
  for (int i = 0; i < kEnding && started == 0; ++i) sigaction(ending[i], &before[i], NULL);
  sigprocmask(SIG_SETMASK, &old, NULL);
  return started;
}

int wait_for_child(struct rusage* used) {
  int status = 0;
  while (wait4(child, &status, 0, used) < 0)
    if (errno != EINTR) die("wait: %s", strerror(errno));
  child = 0;
  return status;
}

int status_of_shell(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void execute(char** arguments) {
  execvp(arguments[0], arguments);
  die_with(errno == ENOENT ? kNotFound : kNotExecutable, "%s: %s", arguments[0], strerror(errno));
}
