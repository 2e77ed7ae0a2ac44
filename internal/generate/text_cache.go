package generate

// kept are texts that were read: the same ones come again with each parameter
// set, and values of repositories may bring another one with each.
type kept[T any] struct {
	texts map[string]T
	bytes int
}

// What texts take of memory, roughly, in bytes.
const (
	mostKept = 4 << 20  // all that are kept; the next one starts anew
	perText  = 1 << 10  // one, besides what is in it
	perCopy  = 64 << 10 // the functions that one may call
)

// keep takes up a text that was not there, of so many bytes.
func (k *kept[T]) keep(text string, read T, bytes int) {
	if bytes > mostKept {
		return
	}
	if k.texts == nil || k.bytes+bytes > mostKept {
		k.texts, k.bytes = map[string]T{}, 0
	}
	k.texts[text] = read
	k.bytes += bytes
}
