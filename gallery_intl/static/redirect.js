// A file of its own: a script in the page is stopped by a Content-Security-Policy.
window.location.replace(
  document.getElementById("new-address").href + window.location.hash,
);
