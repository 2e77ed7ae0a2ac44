package git

import (
	"errors"
	"fmt"
)

// tooLarge says that an object is over the limit.
type tooLarge struct{ size, limit int64 }

func (e *tooLarge) Error() string {
	return fmt.Sprintf("%d MiB are more than the limit of %d MiB", e.size>>20, e.limit>>20)
}

// size returns an object's kind and size.
func (o *objects) size(hash string) (kind string, size int64, err error) {
	r, err := o.take(header)
	if err != nil {
		return "", 0, err
	}
	kind, size, err = r.ask(hash)
	if err != nil && !errors.Is(err, errMissing) {
		r.end()
		return "", 0, err
	}
	r.give()
	return kind, size, err
}
