// Focus the terminal as soon as it exists, so that keys reach it without a click.
const focusing = setInterval(() => {
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys) {
    keys.focus();
    clearInterval(focusing);
  }
}, 100);
