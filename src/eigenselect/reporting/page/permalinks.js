// Addresses of the sections, #features, and of a feature, #feature=NAME.

const FEATURE_ADDRESS = "#feature=";

/** The address of a feature, or none: a name may be no text that an address can hold. */
function addressOf(place) {
  try {
    return FEATURE_ADDRESS + encodeURIComponent(names[place]);
  } catch {
    return "";
  }
}

/** The place of the feature that an address names, or -1. */
function placeAt(hash) {
  try {
    return hash.startsWith(FEATURE_ADDRESS)
      ? names.indexOf(decodeURIComponent(hash.slice(FEATURE_ADDRESS.length)))
      : -1;
  } catch {
    return -1;
  }
}

/** Show the feature that an address names; false if it names none. */
function followFeature(hash) {
  const place = placeAt(hash);
  if (place < 0) return false;
  if (place !== chosen) choose(place);
  table.show(place);
  goTo(chosenIsUnderRow() ? "chosen" : "features");
  return true;
}

/** Show what the address names, when the page opens and when its reader changes it. */
function followAddress() {
  if (!followFeature(location.hash)) goTo(location.hash.slice(1));
}

whenFollowed.push(followFeature);
whenChosen.push(() => {
  if (chosen !== null) showAddress(addressOf(chosen));
  else if (location.hash.startsWith(FEATURE_ADDRESS)) showAddress("");
});
addEventListener("hashchange", followAddress);
if (location.hash.length > 1) followAddress();
