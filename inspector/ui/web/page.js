// Keep the token of the address out of the history and out of sight.
history.replaceState(null, "", "/");

// Focus the terminal as soon as it exists, so that keys reach it without a click.
const focusing = setInterval(() => {
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys) {
    keys.focus();
    clearInterval(focusing);
  }
}, 100);
