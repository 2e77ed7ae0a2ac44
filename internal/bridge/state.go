package bridge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of a Terraform state. A Secret has a part of at most 1 MiB, and
// packed, large states have a tenth of their size.
const (
	maxState   = 16 << 20 // bytes, unpacked
	maxParts   = 64
	maxOutputs = 32 << 20 // bytes of memory: of all else nothing is kept
)

// StateSecret is the name of a Secret in which Terraform's kubernetes backend
// keeps the state of a workspace. What does not fit into the first, which is
// part 0, goes on in others.
func StateSecret(workspace, suffix string, part int) string {
	if workspace == "" {
		workspace = "default"
	}
	name := "tfstate-" + workspace + "-" + suffix
	if part > 0 {
		name = fmt.Sprintf("%s-part-%d", name, part)
	}
	return name
}

// StateKey is the key of that Secret.
const StateKey = "tfstate"

// ErrTorn says that the parts of a state do not make one: Terraform writes one
// after the other, and may be at it.
var ErrTorn = errors.New("its parts do not fit together")

// State is what is read of a Terraform state: its outputs.
type State struct{ outputs map[string]stateOutput }

type stateOutput struct {
	Value     json.RawMessage `json:"value"`
	Sensitive bool            `json:"sensitive"`
}

// ReadState reads a state as the kubernetes backend keeps it: packed by gzip,
// and cut into parts. No part is asked for after the one with the end, for
// there may be older ones.
func ReadState(part func(number int) ([]byte, error)) (*State, error) {
	text, err := unpack(&parts{part: part})
	if err != nil {
		return nil, err
	}
	outputs, err := outputsOf(text)
	if err != nil {
		return nil, err
	}
	return &State{outputs}, nil
}

func outputsOf(text []byte) (out map[string]stateOutput, err error) {
	var content struct {
		Outputs json.RawMessage `json:"outputs"`
	}
	err = json.Unmarshal(text, &content)
	if n := bounded.Measured(content.Outputs, bounded.Maps); err == nil && n > maxOutputs {
		return nil, gitops.Problemf(gitops.Invalid, "the outputs of the Terraform state take more than %d MiB of memory", maxOutputs>>20).
			Do("have Terraform put out less, or write what is needed to a Secret and refer to that")
	}
	if err == nil && len(content.Outputs) > 0 {
		err = json.Unmarshal(content.Outputs, &out)
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "the Terraform state is no JSON") // its text may hold secrets
	}
	return out, nil
}

func unpack(from *parts) ([]byte, error) {
	unpacked, err := gzip.NewReader(from)
	var text []byte
	if err == nil {
		unpacked.Multistream(false)
		text, err = io.ReadAll(io.LimitReader(unpacked, maxState+1))
	}
	switch {
	case from.err != nil:
		return nil, from.err
	case err != nil && from.next > 1:
		return nil, gitops.Problemf(gitops.Invalid, "cannot unpack the Terraform state of %d Secrets: %w: %w", from.next, ErrTorn, err).
			Do("wait for the end of terraform apply; if it is over, apply again")
	case err != nil:
		return nil, gitops.Problemf(gitops.Invalid, "cannot unpack the Terraform state: %w", err)
	case len(text) > maxState:
		return nil, gitops.Problemf(gitops.Invalid, "the Terraform state has more than %d MiB", maxState>>20).
			Do("write what is needed of it to a Secret and refer to that")
	}
	return text, nil
}

// parts reads one part after the other.
type parts struct {
	part func(number int) ([]byte, error)
	next int
	left []byte
	// err is why a part cannot be had.
	err error
}

// Read implements io.Reader.
func (p *parts) Read(into []byte) (int, error) {
	if len(p.left) == 0 {
		if p.left, p.err = p.fetch(); p.err != nil {
			return 0, p.err
		}
		p.next++
	}
	n := copy(into, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *parts) fetch() ([]byte, error) {
	if p.next == maxParts {
		return nil, gitops.Problemf(gitops.Invalid, "the Terraform state has more than %d parts", maxParts)
	}
	data, err := p.part(p.next)
	switch {
	case err != nil && p.next > 0 && missing(err):
		return nil, gitops.Problemf(gitops.Invalid, "the Terraform state goes on, and %w: %w", err, ErrTorn).
			Do("wait for the end of terraform apply; if it is over, apply again")
	case err != nil:
		return nil, err
	case p.next == 0 && !bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the Terraform state: it is not packed as the kubernetes backend does it")
	case len(data) == 0:
		return nil, gitops.Problemf(gitops.Invalid, "part %d of the Terraform state is empty: %w", p.next, ErrTorn)
	}
	return data, nil
}

func missing(err error) bool {
	return gitops.IsProblem(err, gitops.NotFound)
}

// Output is an output of the state. Dots lead into one that is an object or a
// list. Texts, numbers and booleans are given as they are, anything else as
// JSON.
func (s *State) Output(output string) (string, error) {
	name, path, _ := strings.Cut(output, ".")
	found, ok := s.outputs[name]
	if !ok {
		known := slices.Sorted(maps.Keys(s.outputs))
		return "", gitops.Problemf(gitops.NotFound, "the Terraform state has no output %q%s", name, gitops.DidYouMean(name, known))
	}
	if found.Sensitive {
		return "", gitops.Problemf(gitops.Forbidden, "the output %q is marked sensitive", name).
			Do("write it to a Secret and refer to that, or take the mark away in Terraform")
	}
	return leaf(found.Value, output, path)
}

// leaf follows a path into an output's value.
func leaf(raw json.RawMessage, output, path string) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", gitops.Problemf(gitops.Invalid, "the output %q cannot be read", output)
	}
	value, ok := valueAt(value, path)
	if !ok || value == nil {
		return "", gitops.Problemf(gitops.NotFound, "the Terraform state has no output %q", output)
	}
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case json.Number, bool:
		text = fmt.Sprint(v)
	default:
		written, err := json.Marshal(v)
		if err != nil {
			return "", gitops.Problemf(gitops.Invalid, "the output %q cannot be written", output)
		}
		text = string(written)
	}
	if len(text) > MaxValue {
		return "", gitops.Problemf(gitops.Invalid, "the output %q has %d bytes, more than %d", output, len(text), MaxValue)
	}
	return text, nil
}
