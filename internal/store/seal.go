package store

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/room"
)

// KeyBytes is the length of the key that seals manifests.
const KeyBytes = 32

// maxText bounds what is unpacked.
const maxText = 512 << 20 // bytes

// Key seals manifests: Secrets are among them, and values that were decrypted
// for the rendering. It never shows itself.
type Key [KeyBytes]byte

// String implements fmt.Stringer.
func (Key) String() string { return gitops.Redacted }

// GoString implements fmt.GoStringer.
func (Key) GoString() string { return gitops.Redacted }

// Derive makes a secret for another purpose, which tells nothing of the key.
func (k Key) Derive(purpose string) []byte {
	mac := hmac.New(sha256.New, k[:])
	_, _ = mac.Write([]byte(purpose)) // a hash never fails
	return mac.Sum(nil)
}

// NewKey makes a key.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// ParseKey reads the text of a key: 64 hexadecimal digits.
func ParseKey(text []byte) (Key, error) {
	var k Key
	text = bytes.TrimSpace(text)
	if n, err := hex.Decode(k[:], text[:min(len(text), 2*KeyBytes)]); err != nil || n != KeyBytes || len(text) != 2*KeyBytes {
		return Key{}, errors.New("the key of the store is damaged: it must be 64 hexadecimal digits")
	}
	return k, nil
}

// address is where the manifests of a digest are. Without the key nobody can
// tell by it which manifests they are.
func (k Key) address(digest string) string {
	if digest == "" {
		return ""
	}
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(digest))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// sealer packs and encrypts. It is safe for concurrent use.
type sealer struct {
	key  Key
	aead cipher.AEAD
	zip  *zstd.Encoder
	open *zstd.Decoder
}

func newSealer(k Key) (*sealer, error) {
	block, err := aes.NewCipher(k[:])
	if err != nil {
		return nil, fmt.Errorf("cannot use the key of the store: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("cannot use the key of the store: %w", err)
	}
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("cannot compress: %w", err)
	}
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxText), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("cannot decompress: %w", err)
	}
	return &sealer{key: k, aead: aead, zip: zip, open: unzip}, nil
}

// document is a rendering as it is kept.
type document struct {
	// Weight is what the objects take in memory, in bytes; 0 in what older engines kept.
	Weight    int64               `json:"weight,omitempty"`
	Digest    string              `json:"digest"`
	Types     []gitops.SourceType `json:"types,omitempty"`
	Hidden    []string            `json:"hidden,omitempty"`
	Manifests []documentManifest  `json:"manifests"`
}

type documentManifest struct {
	Origin gitops.Origin   `json:"origin"`
	Object json.RawMessage `json:"object"`
}

// seal packs a rendering and encrypts it; its address is part of the seal.
func (s *sealer) seal(r *gitops.Rendering) ([]byte, error) {
	d := document{Weight: gitops.Weight(r.Manifests), Digest: r.Digest, Types: r.Types, Hidden: r.Hidden, Manifests: make([]documentManifest, len(r.Manifests))}
	for i, m := range r.Manifests {
		text, err := json.Marshal(m.Object.Object)
		if err != nil {
			return nil, fmt.Errorf("cannot encode %s: %w", m.Key(), err)
		}
		d.Manifests[i] = documentManifest{Origin: m.Origin, Object: text}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the manifests: %w", err)
	}
	packed := s.zip.EncodeAll(text, make([]byte, 0, len(text)/6))
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(packed)+s.aead.Overhead())
	_, _ = rand.Read(nonce)
	return s.aead.Seal(nonce, nonce, packed, []byte(s.key.address(r.Digest))), nil
}

// unseal is the reverse of seal. The error is room.ErrNoRoom where the work of the
// context finds no room for the manifests: none of them is unpacked then.
func (s *sealer) unseal(ctx context.Context, address string, sealed []byte) (*gitops.Rendering, error) {
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return nil, errors.New("the manifests are damaged")
	}
	packed, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(address))
	if err != nil {
		return nil, errors.New("the manifests are damaged, or were sealed with another key")
	}
	if err := room.Take(ctx, texts*textBytes(packed)); err != nil {
		return nil, err
	}
	text, err := s.open.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot decompress the manifests: %w", err)
	}
	weight, err := weightOf(text)
	if err != nil {
		return nil, err
	}
	if err := room.Take(ctx, weight); err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("cannot decode the manifests: %w", err)
	}
	r := &gitops.Rendering{Digest: d.Digest, Types: d.Types, Hidden: d.Hidden, Reused: true}
	for _, m := range d.Manifests {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(m.Object); err != nil {
			return nil, fmt.Errorf("cannot decode a manifest: %w", err)
		}
		r.Manifests = append(r.Manifests, gitops.Manifest{Object: object, Origin: m.Origin, Hidden: d.Hidden})
	}
	return r, nil
}

const (
	// texts is how often a text is in memory while it is read: whole, and object by object.
	texts = 2
	// perByte is the memory of objects for each byte of their text, where it is not
	// written with them: about that of what is deployed most times.
	perByte = 12
)

// textBytes is how long a text is that is packed. The shortest ones do not say so.
func textBytes(packed []byte) int64 {
	var head zstd.Header
	if err := head.Decode(packed); err != nil || !head.HasFCS {
		return 0
	}
	return int64(min(head.FrameContentSize, maxText))
}

// weightOf is the memory of the objects in a text, in bytes. It makes none of them.
func weightOf(text []byte) (int64, error) {
	var d struct {
		Weight int64 `json:"weight"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return 0, fmt.Errorf("cannot decode the manifests: %w", err)
	}
	if d.Weight == 0 {
		return perByte * int64(len(text)), nil
	}
	return d.Weight, nil
}

func (s *sealer) pack(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnfit, err)
	}
	return s.zip.EncodeAll(text, nil), nil
}

func (s *sealer) unpack(packed []byte, v any) error {
	text, err := s.open.DecodeAll(packed, nil)
	if err != nil {
		return fmt.Errorf("cannot decompress: %w", err)
	}
	return json.Unmarshal(text, v)
}
