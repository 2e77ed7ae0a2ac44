package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Link makes an entry the next one of a chain: it has its place, the hash of
// the one before it, and its own. The text is what the hash covers.
func Link(e *Entry, last int64, previous string) (Entry, []byte, error) {
	out := e.Bounded()
	out.Sequence, out.Previous, out.Hash = last+1, previous, ""
	text, err := json.Marshal(out)
	if err == nil {
		text, err = canonical(text)
	}
	if err != nil {
		return Entry{}, nil, fmt.Errorf("cannot encode an entry of the audit: %w", err)
	}
	out.Hash = Hash(text)
	return out, text, nil
}

// Hash is of the canonical text of an entry, in hexadecimal digits.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// canonical writes JSON with its keys in order and without spaces, as
// `jq -cS` does.
func canonical(text []byte) ([]byte, error) {
	fields, err := fieldsOf(text)
	if err != nil {
		return nil, err
	}
	return write(fields)
}

func fieldsOf(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the JSON of the entry, which nothing proves")
	}
	return fields, nil
}

func write(fields map[string]any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return nil, fmt.Errorf("cannot encode: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Line is an entry as it is exported: its canonical text and its hash in one
// JSON document, without the end of the line.
func Line(text []byte, hash string) []byte {
	out := make([]byte, 0, len(text)+len(hash)+16)
	out = append(out, `{"hash":"`+hash+`",`...)
	return append(out, bytes.TrimPrefix(text, []byte("{"))...)
}

// Split is the reverse of Line, whatever the order of keys and the spaces.
func Split(line []byte) (text []byte, hash string, err error) {
	fields, err := fieldsOf(line)
	if err != nil {
		return nil, "", err
	}
	hash, _ = fields["hash"].(string)
	delete(fields, "hash")
	text, err = write(fields)
	return text, hash, err
}

// Parse reads the canonical text of an entry.
func Parse(text []byte, hash string) (*Entry, error) {
	e := &Entry{}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	e.Hash = hash
	return e, nil
}
