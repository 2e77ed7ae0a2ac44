package disk

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/zeebo/blake3"
)

// A file is the mark, the key, the sum of everything after it, and the
// renderings, each after its length in four bytes. The mark's number is
// raised when this form changes.
const mark = "causeway render 1\n"

const head = len(mark) + 32 + 32

// errForm says that a file is torn, changed or not the Store's own.
var errForm = errors.New("the file is not a kept rendering")

func seal(key [32]byte, all [][]byte) []byte {
	size := head
	for _, b := range all {
		size += 4 + len(b)
	}
	out := make([]byte, head, size)
	copy(out, mark)
	copy(out[len(mark):], key[:])
	for _, b := range all {
		out = binary.BigEndian.AppendUint32(out, uint32(len(b))) //nolint:gosec // Save bounds it
		out = append(out, b...)
	}
	sum := blake3.Sum256(out[head:])
	copy(out[head-32:], sum[:])
	return out
}

// open returns the renderings in a file, at least one; they share its bytes.
func open(key [32]byte, data []byte) ([][]byte, error) {
	if len(data) < head || string(data[:len(mark)]) != mark || !bytes.Equal(data[len(mark):len(mark)+32], key[:]) {
		return nil, errForm
	}
	rest := data[head:]
	if sum := blake3.Sum256(rest); !bytes.Equal(sum[:], data[head-32:head]) {
		return nil, errForm
	}
	var all [][]byte
	for len(rest) > 0 {
		if len(rest) < 4 {
			return nil, errForm
		}
		n := int(binary.BigEndian.Uint32(rest))
		if n > len(rest)-4 {
			return nil, errForm
		}
		all = append(all, rest[4:4+n:4+n])
		rest = rest[4+n:]
	}
	if len(all) == 0 {
		return nil, errForm
	}
	return all, nil
}
