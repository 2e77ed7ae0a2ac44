package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/singleflight"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// text is an answer as JSON, with its tag.
type text struct {
	json []byte
	tag  string
}

// textFrom takes an answer that is written, and tells how many bytes it holds.
func textFrom(json []byte, err error) (*text, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	return &text{json, session.Tag(json)}, int64(cap(json)), nil
}

// encoded writes an answer.
func encoded(answer any) (*text, int64, error) {
	var to bytes.Buffer
	err := format.Marshal(&to, answer)
	return textFrom(to.Bytes(), err)
}

// ready is an answer T whose text is there.
type ready[T any] struct {
	Tag  string `header:"ETag"`
	Body body[T]
}

func readyOf[T any](t *text) *ready[T] { return &ready[T]{t.tag, body[T]{t.json}} }

// body is a T as JSON. What encodes values by reflection takes 40 ms for
// 10,000 cells, each time.
type body[T any] struct{ json []byte }

func (b body[T]) written() []byte { return b.json }

// Schema implements huma.SchemaProvider: it is that of a T.
func (body[T]) Schema(r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// kept are things that take long to make, for all who see alike, by the key of
// what they are made of.
type kept[V any] struct {
	known  *cache.LRU[string, V]
	making singleflight.Group
}

// What is kept takes so many bytes at most.
const (
	textsKept    = 64 << 20
	matricesKept = 16 << 20
	// About what the name of a commit takes, a cell, and an Application in it.
	runSize   = 256
	cellSize  = 1 << 10
	placeSize = 256
)

func newKept[V any](size int64) *kept[V] { return &kept[V]{known: cache.New[string, V](size)} }

// of is what is made of what the key names, with its size in bytes. Of those who
// ask at a time, one makes it.
func (k *kept[V]) of(key string, write func() (V, int64, error)) (V, error) {
	if known, ok := k.known.Get(key); ok {
		return known, nil
	}
	made, err, _ := k.making.Do(key, func() (any, error) {
		if known, ok := k.known.Get(key); ok { // since this one asked
			return known, nil
		}
		out, size, err := write()
		if err == nil {
			k.known.Put(key, out, size)
		}
		return out, err
	})
	out, _ := made.(V) // a nil one is of an error
	return out, err
}

// madeOf names what an answer is made of, each part by all that tells it from others.
func madeOf(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%#v\x00", p) // a hash takes everything
	}
	return string(h.Sum(nil))
}

// eyes are which Applications somebody sees, of those at some version.
type eyes [sha256.Size]byte

func eyesOf(rows view.Seen) eyes {
	seats := make([]byte, 0, 8*len(rows))
	for _, r := range rows {
		seats = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(seats, r.Seat.Number), r.Seat.Turn)
	}
	return sha256.Sum256(seats)
}
