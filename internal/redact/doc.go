// Package redact keeps secrets out of what people are shown: differences,
// previews, parameters, traces, errors and warnings.
//
// There are two kinds of knowledge. Known are texts: what a rendering
// decrypted, the values of the Secrets that it rendered, and those of credentials.
// They are masked wherever they stand. A Masker knows keys and forms besides, and masks what is
// likely a secret by the place where it stands, such as the value of a key
// called password.
//
// What counts as decrypted, and in which forms a value may come up again, is noted
// where files are read: Tree.Hidden of internal/render/record.
//
// Three functions apply it: Marks to both sides of a Secret, as Argo CD shows
// them; Known.Sides to both sides of any other object; Masker to one value.
package redact

// Mask stands where a secret value was.
const Mask = "[masked]"
