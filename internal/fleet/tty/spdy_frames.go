package tty

import (
	"encoding/binary"
	"errors"
)

// mostFrame bounds the payload of a frame of SPDY, in bytes. Servers send a
// terminal's output in pieces of 32 KiB; the library takes 16 MiB, and queues
// hundreds of frames.
const mostFrame = 128 << 10

// headerOfFrame is what a frame begins with: its stream or kind in four bytes,
// flags in one, and the length of its payload in three.
const headerOfFrame = 8

var errLongFrame = errors.New("the cluster sends a frame of a terminal that is too long")

// frames follows the frames of a connection as it is read. The zero value is at
// the beginning of one.
type frames struct {
	header [headerOfFrame]byte
	known  int // bytes of the header that were read
	left   int // bytes of the payload that were not
}

// pass takes what was read next; an error where a frame begins that is too long.
func (f *frames) pass(p []byte) error {
	for len(p) > 0 {
		if f.known < headerOfFrame {
			n := copy(f.header[f.known:], p)
			f.known, p = f.known+n, p[n:]
			if f.known < headerOfFrame {
				return nil
			}
			const length = 1<<24 - 1
			if f.left = int(binary.BigEndian.Uint32(f.header[4:]) & length); f.left > mostFrame {
				return errLongFrame
			}
		}
		n := min(len(p), f.left)
		if f.left, p = f.left-n, p[n:]; f.left == 0 {
			f.known = 0
		}
	}
	return nil
}
