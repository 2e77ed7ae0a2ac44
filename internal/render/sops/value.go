package sops

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// sealMark begins each encrypted value.
const sealMark = "ENC[AES256_GCM,"

var sealed = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:([a-z0-9]+)\]$`)

// maxNonce bounds the nonce of a value; SOPS writes 32 bytes.
const maxNonce = 64

// value is a decrypted value: its text in YAML's and JSON's form, the YAML
// tag, and the bytes that the checksum is made over.
type value struct{ text, tag, sum string }

var (
	errForm = errors.New("a value that should be encrypted is not")
	errKey  = errors.New("a value cannot be decrypted: it was changed, moved or copied by hand")
)

// box opens values with a data key.
type box struct{ block cipher.Block }

func newBox(key []byte) (box, error) {
	if len(key) != 32 { //nolint:mnd // AES-256
		return box{}, errors.New("the data key has not 32 bytes")
	}
	block, err := aes.NewCipher(key)
	return box{block}, err
}

func (b box) open(text, additional string) (value, error) {
	m := sealed.FindStringSubmatch(text)
	if m == nil {
		return value{}, errForm
	}
	plain, err := b.bytes(m[1], m[2], m[3], additional)
	if err != nil {
		return value{}, err
	}
	return typed(m[4], string(plain))
}

func (b box) bytes(data, iv, tag, additional string) ([]byte, error) {
	nonce, err := base64.StdEncoding.DecodeString(iv)
	if err != nil || len(nonce) == 0 || len(nonce) > maxNonce {
		return nil, errKey
	}
	body, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, errKey
	}
	end, err := base64.StdEncoding.DecodeString(tag)
	if err != nil || len(end) != aes.BlockSize {
		return nil, errKey
	}
	gcm, err := cipher.NewGCMWithNonceSize(b.block, len(nonce))
	if err != nil {
		return nil, errKey
	}
	plain, err := gcm.Open(nil, nonce, append(body, end...), []byte(additional))
	if err != nil {
		return nil, errKey
	}
	return plain, nil
}

var errType = errors.New("a value has a type that is not known, or is not of its type")

// typed reads a plain text as the type that SOPS noted.
func typed(kind, text string) (value, error) {
	switch kind {
	case "str", "bytes", "comment":
		return value{text, "!!str", text}, nil
	case "int", "int64":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return value{}, errType
		}
		text = strconv.FormatInt(n, 10)
		return value{text, "!!int", text}, nil
	case "float":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return value{}, errType
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
		return value{text, "!!float", text}, nil
	case "bool":
		on, err := strconv.ParseBool(text)
		if err != nil {
			return value{}, errType
		}
		return value{strconv.FormatBool(on), "!!bool", title(on)}, nil
	case "time":
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return value{}, errType
		}
		text = at.Format(time.RFC3339)
		return value{text, "!!timestamp", text}, nil
	}
	return value{}, errType
}

// title is a truth value as the checksum has it.
func title(on bool) string {
	text := strconv.FormatBool(on)
	return strings.ToUpper(text[:1]) + text[1:]
}
