package sops

import (
	"context"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// macOnlyPrefix starts the checksum of files with mac_only_encrypted: the
// SHA-256 of "sops".
const macOnlyPrefix = "8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69"

// walker decrypts the values of trees in place and sums them up.
type walker struct {
	box   box
	rules rules
	only  bool // the checksum is over encrypted values alone
	sum   hash.Hash
	// matching bounds what keys are held against, and paths the bytes of the
	// paths that values were sealed with.
	matching *bounded.Matching
	paths    int
	// values are those that were decrypted.
	values []string
}

func newWalker(b box, m metadata) (*walker, error) {
	r, err := m.rules()
	if err != nil {
		return nil, err
	}
	w := &walker{box: b, rules: r, only: m.MACOnlyEncrypted, sum: sha512.New(), matching: bounded.NewMatching(mostMatching)}
	if w.only {
		prefix, err := hex.DecodeString(macOnlyPrefix)
		if err != nil {
			return nil, err
		}
		_, _ = w.sum.Write(prefix)
	}
	return w, nil
}

var (
	errAlias = errors.New("it has a YAML alias, which SOPS never writes")
	errDeep  = fmt.Errorf("its mappings are more than %d deep", maxDepth)
	errPaths = fmt.Errorf("the keys of its values have more than %d MiB, each with those that it is below", mostPaths>>20)
)

const (
	// maxDepth bounds the length of a path: each level on the way holds its own.
	maxDepth = 256
	// mostPaths are the bytes of all paths together.
	mostPaths = 64 << 20
	// mostMatching bounds the keys of one file: about two seconds.
	mostMatching = bounded.MostMatching / 10
)

// place is where a value stands; found tells that the rule's pattern or suffix
// matched a key above it.
type place struct {
	path  []string
	bytes int
	found bool
}

// below is a place one key further.
func (w *walker) below(at place, key string) (place, error) {
	if len(at.path) >= maxDepth {
		return at, errDeep
	}
	found, err := at.found, error(nil)
	if !found {
		found, err = w.rules.matches(w.matching, key)
	}
	return place{append(at.path[:len(at.path):len(at.path)], key), at.bytes + len(key) + 1, found}, err
}

// node walks a value; items of a list have the place of the list.
func (w *walker) node(ctx context.Context, n *yaml.Node, p place) error {
	plainComments(n)
	switch n.Kind {
	case yaml.MappingNode:
		return w.mapping(ctx, n, p)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := w.node(ctx, item, p); err != nil {
				return err
			}
		}
		return nil
	case yaml.ScalarNode:
		return w.leaf(n, p)
	default:
		return errAlias
	}
}

func (w *walker) mapping(ctx context.Context, n *yaml.Node, p place) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		plainComments(n.Content[i])
		inner, err := w.below(p, n.Content[i].Value)
		if err != nil {
			return err
		}
		if err := w.node(ctx, n.Content[i+1], inner); err != nil {
			return err
		}
	}
	return nil
}

// plainComments drops encrypted comments: nobody reads them.
func plainComments(n *yaml.Node) {
	for _, c := range []*string{&n.HeadComment, &n.LineComment, &n.FootComment} {
		if strings.Contains(*c, sealMark) {
			*c = ""
		}
	}
}

func (w *walker) leaf(n *yaml.Node, p place) error {
	if n.ShortTag() == "!!null" {
		return nil
	}
	if !w.rules.encrypted(p.found, n.Value) {
		if w.only {
			return nil
		}
		text, err := sumOf(n)
		w.add(text)
		return at(p.path, err)
	}
	if n.Value == "" { // SOPS leaves empty texts as they are
		return nil
	}
	if w.paths += p.bytes; w.paths > mostPaths {
		return errPaths
	}
	v, err := w.box.open(n.Value, strings.Join(p.path, ":")+":")
	if err != nil {
		return at(p.path, err)
	}
	n.Value, n.Tag, n.Style = v.text, v.tag, 0
	w.values = append(w.values, v.text)
	if v.tag == "!!str" { // quoted, so that YAML 1.1 takes no text for something else
		n.Style = yaml.DoubleQuotedStyle
	}
	w.add(v.sum)
	return nil
}

func (w *walker) add(text string) { _, _ = w.sum.Write([]byte(text)) }

func at(path []string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", strings.Join(path, "."), err)
}

// sumOf is what the checksum has of a plain value.
func sumOf(n *yaml.Node) (string, error) {
	var v any
	if err := bounded.DecodeNode(n, &v); err != nil {
		return "", errType
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return title(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case time.Time:
		return v.Format(time.RFC3339), nil
	case int, int64, uint64:
		return fmt.Sprint(v), nil
	}
	return "", errType
}

var errSum = errors.New("its checksum does not match: values were changed, added, removed or moved by hand")

// check compares the checksum with the one of the file.
func (w *walker) check(m metadata) error {
	stamp, err := m.stamp()
	if err != nil {
		return err
	}
	want, err := w.box.open(m.MAC, stamp)
	if err != nil {
		return errSum
	}
	got := strings.ToUpper(hex.EncodeToString(w.sum.Sum(nil)))
	if subtle.ConstantTimeCompare([]byte(got), []byte(strings.ToUpper(want.text))) != 1 {
		return errSum
	}
	return nil
}
