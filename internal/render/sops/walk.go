package sops

import (
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
	// values are those that were decrypted.
	values []string
}

func newWalker(b box, m metadata) (*walker, error) {
	r, err := m.rules()
	if err != nil {
		return nil, err
	}
	w := &walker{box: b, rules: r, only: m.MACOnlyEncrypted, sum: sha512.New()}
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
)

// maxDepth bounds the length of a path: each level on the way holds its own.
const maxDepth = 256

// node walks a value; items of a list have the path of the list.
func (w *walker) node(n *yaml.Node, path []string) error {
	plainComments(n)
	if len(path) > maxDepth {
		return errDeep
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			plainComments(n.Content[i])
			if err := w.node(n.Content[i+1], append(path[:len(path):len(path)], n.Content[i].Value)); err != nil {
				return err
			}
		}
		return nil
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := w.node(item, path); err != nil {
				return err
			}
		}
		return nil
	case yaml.ScalarNode:
		return w.leaf(n, path)
	default:
		return errAlias
	}
}

// plainComments drops encrypted comments: nobody reads them.
func plainComments(n *yaml.Node) {
	for _, c := range []*string{&n.HeadComment, &n.LineComment, &n.FootComment} {
		if strings.Contains(*c, sealMark) {
			*c = ""
		}
	}
}

func (w *walker) leaf(n *yaml.Node, path []string) error {
	if n.ShortTag() == "!!null" {
		return nil
	}
	if !w.rules.encrypted(path, n.Value) {
		if w.only {
			return nil
		}
		text, err := sumOf(n)
		w.add(text)
		return at(path, err)
	}
	if n.Value == "" { // SOPS leaves empty texts as they are
		return nil
	}
	v, err := w.box.open(n.Value, strings.Join(path, ":")+":")
	if err != nil {
		return at(path, err)
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
	if err := n.Decode(&v); err != nil {
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
