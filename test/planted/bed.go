package planted

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Bed has the secrets of a test. It may be used by several goroutines at once.
type Bed struct {
	mu      sync.Mutex
	secrets []*secret
	// forms has what is looked for by how it begins.
	forms map[[least]byte][]form
	err   error
}

// secret is what one input was given.
type secret struct {
	input string
	used  bool
}

// least is how many bytes of a secret are looked for at least: fewer would be found where it is not.
const least = 8

// Text makes a secret that is a text, for an input: a mark that names it, and enough that nobody guesses.
func (b *Bed) Text(input string) string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // it never fails
	core := hex.EncodeToString(random[:])
	b.plant(input, []byte(core))
	return "planted-" + strings.ReplaceAll(input, " ", "-") + "-" + core
}

// Keep takes a secret that was made elsewhere: a text, or PEM, which is looked for as what it holds and as it is written.
func (b *Bed) Keep(input, value string) {
	block, _ := pem.Decode([]byte(value))
	if block == nil {
		b.plant(input, middle([]byte(value)))
		return
	}
	held := line(block.Bytes)
	b.plant(input, held)
	b.plant(input, []byte(base64.StdEncoding.EncodeToString(held)))
}

// middle leaves out what many values of a kind begin and end with.
func middle(value []byte) []byte {
	const most = 32
	if len(value) <= most {
		return value
	}
	from := (len(value) - most) / 2
	return value[from : from+most]
}

// line is a part of what one line of PEM holds, which begins where a character of the line does.
func line(value []byte) []byte {
	const whole, margin, most = 48, 9, 30
	from := min(len(value)/2/whole*whole+margin, len(value))
	held := value[from:min(from+most, len(value))]
	return held[:len(held)/3*3]
}

func (b *Bed) plant(input string, core []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(core) < least {
		b.err = errors.Join(b.err, fmt.Errorf("cannot find the secret of %s again: it has %d bytes, and needs %d", input, len(core), least))
		return
	}
	s := b.of(input)
	if s == nil {
		s = &secret{input: input}
		b.secrets = append(b.secrets, s)
	}
	if b.forms == nil {
		b.forms = map[[least]byte][]form{}
	}
	for _, f := range formsOf(core) {
		f.of = s
		start := [least]byte(f.text[:least])
		b.forms[start] = append(b.forms[start], f)
	}
}

// of is the secret of an input, nil where there is none.
func (b *Bed) of(input string) *secret {
	at := slices.IndexFunc(b.secrets, func(s *secret) bool { return s.input == input })
	if at < 0 {
		return nil
	}
	return b.secrets[at]
}

// Used notes that the product had the secret of an input, and did something with it.
func (b *Bed) Used(input string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.of(input)
	if s == nil {
		b.err = errors.Join(b.err, fmt.Errorf("cannot note the secret of %s as used: nothing is planted there", input))
		return
	}
	s.used = true
}

// Err is what could not be planted or noted, for whoever looks at what was found: nothing of that is known then. It is nil
// where all could.
func (b *Bed) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Saw notes the same of all secrets in what the product sent to somebody.
func (b *Bed) Saw(sent []byte) {
	for _, f := range b.Find(sent) {
		b.Used(f.Input)
	}
}

// Unused are the inputs of which nothing shows that the product had their secret.
func (b *Bed) Unused() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, s := range b.secrets {
		if !s.used {
			out = append(out, s.input)
		}
	}
	return out
}
