package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

const (
	// MostRead bounds what is read at a time, in bytes: one answer, all that a search
	// finds, and all that one ExternalSecret fetches.
	MostRead = 16 << 20
	// mostMemory bounds what an answer takes when its JSON is read, in bytes.
	mostMemory = 64 << 20
)

// cost is that of a list of Secrets, whose elements take the most: "{}" is one.
var cost = bounded.Cost{Element: 1_000, Object: 250, Member: 100}

var (
	errMemory = fmt.Errorf("the answer takes more than %d MiB of memory", mostMemory>>20)                      //nolint:mnd // MiB
	errSum    = fmt.Errorf("all values together have more than %d MiB: ask for fewer at a time", MostRead>>20) //nolint:mnd // MiB
	errForm   = errors.New("the answer is not in JSON")
)

// Bounded holds the servers of a store to what the engine has memory for. Clients of
// servers keep all of an answer, of an error as well.
func Bounded(next http.RoundTripper) http.RoundTripper {
	return limited{bounded.Transport{Next: next, Most: MostRead}}
}

type limited struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := l.next.RoundTrip(r)
	if err != nil || got.Body == nil {
		return got, err
	}
	if isOtherForm(got.Header.Get("Content-Type")) {
		_ = got.Body.Close()
		return nil, errForm
	}
	got.Body = &measured{ReadCloser: got.Body, meter: bounded.NewMeter(cost)}
	return got, nil
}

// isOtherForm reports what clients read although nobody asked for it, and whose cost
// is not known before.
func isOtherForm(mediaType string) bool {
	mediaType = strings.ToLower(mediaType)
	return slices.ContainsFunc([]string{"protobuf", "cbor", "yaml"}, func(form string) bool { return strings.Contains(mediaType, form) })
}

// TooMuch reports whether an error is that an answer is longer than is read.
func TooMuch(err error) bool {
	long := (*bounded.TooLong)(nil)
	return errors.As(err, &long) || errors.Is(err, errMemory)
}

// measured is an answer that ends where its JSON takes too much.
type measured struct {
	io.ReadCloser

	meter *bounded.Meter
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		rest = rest[m.meter.Value(rest):]
	}
	if m.meter.Takes() > mostMemory || m.meter.TooDeep() {
		return 0, errMemory
	}
	return n, err
}

// Sum is how much was read so far, in bytes.
type Sum struct{ read int }

// Add is an error where more is read than is kept.
func (s *Sum) Add(bytes int) error {
	if s.read += bytes; s.read > MostRead {
		return errSum
	}
	return nil
}
