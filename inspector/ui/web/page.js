// Keys go to the terminal without a click, as soon as it is there.
const focusing = setInterval(() => {
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys) {
    keys.focus();
    clearInterval(focusing);
  }
}, 100);
