package record

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of what is kept of decrypted values: shorter ones are words
// rather than secrets, and of lines in longer texts most are.
const (
	minHidden      = 6
	minHiddenLine  = 16
	maxHidden      = 10_000
	maxHiddenBytes = 4 << 20
)

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
// render have more than is kept. The lock is held.
func (t *Tree) hide(name string, values []string) error {
	before := t.hiddenBytes
	t.hideAll(values)
	if err := t.limits.Hidden.Take(t.hiddenBytes - before); err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot decrypt %s: the application has more encrypted values than can be kept out of what is shown of it: %w", name, err).
			At(t.Where(name, 0)).Do("split the application, or encrypt less of its files")
	}
	return nil
}

func (t *Tree) hideAll(values []string) {
	for _, v := range values {
		plain := strings.TrimSpace(v)
		if len(plain) < minHidden {
			continue
		}
		t.hideOne(plain)
		if quoted := strconv.Quote(plain); len(quoted) > len(plain)+2 {
			t.hideOne(quoted[1 : len(quoted)-1])
		}
		for _, form := range []string{v, plain, plain + "\n"} {
			t.hideOne(base64.StdEncoding.EncodeToString([]byte(form)))
		}
		if !strings.Contains(plain, "\n") {
			continue
		}
		for line := range strings.Lines(plain) {
			if line = strings.TrimSpace(line); len(line) >= minHiddenLine {
				t.hideOne(line)
			}
		}
	}
}

func (t *Tree) hideOne(text string) {
	if t.hidden == nil {
		t.hidden = map[string]bool{}
	}
	if t.hidden[text] || len(t.hidden) >= maxHidden || t.hiddenBytes+len(text) > maxHiddenBytes {
		return
	}
	t.hidden[text] = true
	t.hiddenBytes += len(text)
}
