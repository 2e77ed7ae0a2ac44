package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// Packed is an archive that can be read as often as it is needed.
type Packed struct {
	// Key names it among all that are unpacked in a Room.
	Key string
	// Open opens it where it lies.
	Open func() (io.ReadSeekCloser, error)
	// Unpack is Unpack or UnpackChart.
	Unpack func(io.Reader, Limits) (*Tree, error)
	Limits Limits
	// By are the projects that ask for it, see slots.Slots; nil for nobody.
	By func() []string
}

// unpack returns the tree of an archive, out of what is kept where it is there.
func (r *Room) unpack(ctx context.Context, p Packed) (*Tree, error) {
	if t, ok := r.kept.Get(p.Key); ok {
		return t.(*Tree), nil
	}
	f, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	weight := min(weigh(f), r.most)
	t, err := r.unpackIn(ctx, p, f, weight)
	if weight < r.most && errors.Is(err, errMore) {
		return r.unpackIn(ctx, p, f, r.most)
	}
	return t, err
}

// unpackIn unpacks an archive into so many bytes.
func (r *Room) unpackIn(ctx context.Context, p Packed, f io.ReadSeeker, size int64) (*Tree, error) {
	limits := p.Limits
	limits.Memory = size
	build := func() (any, int64, error) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, 0, unreadable(err)
		}
		t, err := p.Unpack(f, limits)
		if err != nil {
			return nil, 0, err
		}
		return t, t.Size(), nil
	}
	tree, err := r.Make(ctx, p.By, Made{p.Key, size, build})
	if err != nil {
		return nil, err
	}
	return tree.(*Tree), nil
}

// spare is what a tree may take besides what its archive has unpacked: its
// folders need not be written there one by one.
const spare = 64 << 10

// weigh is about what an archive takes in memory, by its own word: gzip has the
// length of what was packed, by 32 bits, at its end. Who says less than is there
// unpacks once more. What cannot be read is told by who unpacks it.
func weigh(f io.ReadSeeker) int64 {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return spare
	}
	const trailer = 4
	var magic [2]byte
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return spare
	}
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		return spare
	}
	if magic == gzipped {
		var end [trailer]byte
		if _, err := f.Seek(-trailer, io.SeekEnd); err != nil {
			return spare
		}
		if _, err := io.ReadFull(f, end[:]); err != nil {
			return spare
		}
		size = int64(binary.LittleEndian.Uint32(end[:]))
	}
	return size + size/4 + spare
}
