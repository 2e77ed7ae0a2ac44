package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The most that is computed for a hash that somebody else wrote: some tenths of a second, and 64 MiB.
const (
	maxMemory  = 64 * 1024
	maxPasses  = 10
	maxThreads = 16
	// What shortest and longest salts and sums have, in bytes.
	minBytes, maxBytes = 8, 64
)

// argon is a sum of argon2id and what it was made with.
type argon struct {
	// memory is in KiB.
	memory  uint32
	passes  uint32
	threads uint8
	salt    []byte
	sum     []byte
}

var encoding = base64.RawStdEncoding.Strict()

// String is the PHC string.
func (a argon) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, a.memory, a.passes, a.threads,
		encoding.EncodeToString(a.salt), encoding.EncodeToString(a.sum))
}

var errForm = errors.New("it does not have the form $argon2id$v=19$m=<KiB>,t=<passes>,p=<threads>$<salt>$<sum>")

// parseArgon reads a PHC string in the one form that it is written in.
func parseArgon(text string) (argon, error) {
	parts := strings.Split(text, "$")
	if len(text) > 256 || len(parts) != 6 || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return argon{}, errForm
	}
	costs := strings.Split(parts[3], ",")
	if len(costs) != 3 {
		return argon{}, errForm
	}
	memory, err := number(costs[0], "m=", "memory", maxMemory)
	if err != nil {
		return argon{}, err
	}
	passes, err := number(costs[1], "t=", "number of passes", maxPasses)
	if err != nil {
		return argon{}, err
	}
	threads, err := number(costs[2], "p=", "number of threads", maxThreads)
	if err != nil {
		return argon{}, err
	}
	a := argon{memory: memory, passes: passes, threads: uint8(threads)} //nolint:gosec // at most maxThreads
	if a.salt, err = raw(parts[4]); err != nil {
		return argon{}, err
	}
	if a.sum, err = raw(parts[5]); err != nil {
		return argon{}, err
	}
	return a, nil
}

// number reads one cost.
func number(text, prefix, name string, most uint32) (uint32, error) {
	digits, found := strings.CutPrefix(text, prefix)
	n, err := strconv.ParseUint(digits, 10, 32)
	if !found || err != nil || n == 0 {
		return 0, errForm
	}
	if n > uint64(most) {
		return 0, fmt.Errorf("its %s for argon2id is %d, and may be %d: hash the password again", name, n, most)
	}
	return uint32(n), nil
}

// raw reads a salt or a sum.
func raw(text string) ([]byte, error) {
	data, err := encoding.DecodeString(text)
	if err != nil {
		return nil, errForm
	}
	if len(data) < minBytes || len(data) > maxBytes {
		return nil, fmt.Errorf("its salt and its sum have %d to %d bytes", minBytes, maxBytes)
	}
	return data, nil
}
