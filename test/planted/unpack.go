package planted

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
)

// most bounds what is read of one compressed text.
const most = 64 << 20

// unpacked are the texts that begin somewhere in data as gzip and zstd do.
func unpacked(data []byte) [][]byte {
	var out [][]byte
	for _, pack := range []struct {
		mark []byte
		open func(io.Reader) (io.Reader, error)
	}{
		{[]byte{0x1f, 0x8b, 0x08}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
		{[]byte{0x28, 0xb5, 0x2f, 0xfd}, func(r io.Reader) (io.Reader, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}},
	} {
		for rest := data; ; rest = rest[1:] {
			at := bytes.Index(rest, pack.mark)
			if at < 0 {
				break
			}
			rest = rest[at:]
			if r, err := pack.open(bytes.NewReader(rest)); err == nil {
				text, _ := io.ReadAll(io.LimitReader(r, most)) // what follows it is no part of it, and may be an error
				out = append(out, text)
			}
		}
	}
	return out
}
