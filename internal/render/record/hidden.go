package record

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Decrypted values that are shorter are words rather than secrets, and of lines
// in longer texts most are.
const (
	minHidden     = 6
	minHiddenLine = 16
)

// hiddenCost is what a text counts as at least, in bytes: to keep a short one, and
// to look for it, takes so much.
const hiddenCost = 64

// Hidden returns the decrypted values that were read, sorted, in the forms
// in which they may come up again: plain, quoted and in base64.
func (t *Tree) Hidden() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]string, 0, len(t.hidden))
	for v := range t.hidden {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// hide notes decrypted values of a file. It is an error when all trees of the
// render have more than is kept: a value that is not kept would be shown. The lock is
// held.
func (t *Tree) hide(name string, values []string) error {
	for _, v := range values {
		if err := t.hideValue(v); err != nil {
			return gitops.Problemf(gitops.Invalid, "cannot decrypt %s: the application has more encrypted values than can be kept out of what is shown of it: %w", name, err).
				At(t.Where(name, 0)).Do("split the application, or encrypt less of its files")
		}
	}
	return nil
}

// hideValue notes a value in all forms in which it may come up again.
func (t *Tree) hideValue(v string) error {
	plain := strings.TrimSpace(v)
	if len(plain) < minHidden {
		return nil
	}
	forms := []string{plain}
	if quoted := strconv.Quote(plain); len(quoted) > len(plain)+2 {
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	for _, form := range []string{v, plain, plain + "\n"} {
		forms = append(forms, base64.StdEncoding.EncodeToString([]byte(form)))
	}
	for _, form := range forms {
		if err := t.hideOne(form); err != nil {
			return err
		}
	}
	return t.hideLines(plain)
}

// hideLines notes the lines of a text that has several.
func (t *Tree) hideLines(plain string) error {
	if !strings.Contains(plain, "\n") {
		return nil
	}
	for line := range strings.Lines(plain) {
		if line = strings.TrimSpace(line); len(line) < minHiddenLine {
			continue
		}
		if err := t.hideOne(line); err != nil {
			return err
		}
	}
	return nil
}

// hideOne keeps a text once it is counted: what did not fit does not fit when its
// file is read again either.
func (t *Tree) hideOne(text string) error {
	if t.hidden[text] {
		return nil
	}
	if err := t.limits.Hidden.Take(max(len(text), hiddenCost)); err != nil {
		return err
	}
	if t.hidden == nil {
		t.hidden = map[string]bool{}
	}
	t.hidden[text] = true
	return nil
}
