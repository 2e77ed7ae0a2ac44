package rbac

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/glob"
)

const (
	// maxBytes and maxLines are how much policy there may be: in the ConfigMap, and in the roles of one project.
	maxBytes = 1 << 20
	maxLines = 20_000
)

// reader reads lines of policy to a scope.
type reader struct {
	*scope

	mode     mode
	bytes    int
	lines    int
	warnings []string
	// patterns are those read before: most lines share theirs.
	patterns map[string]pattern
}

func newReader(m mode) *reader {
	return &reader{
		scope: &scope{rights: map[string][]*line{}, given: map[string][]string{}},
		mode:  m, patterns: map[string]pattern{},
	}
}

// text reads one text; name is what errors call it.
func (r *reader) text(name, text string) error {
	if r.bytes += len(text); r.bytes > maxBytes {
		return fmt.Errorf("%s: there are more than %d bytes of policy: give rights to groups rather than to each user", name, maxBytes)
	}
	number := 0
	for text := range strings.SplitSeq(text, "\n") {
		number++
		place := fmt.Sprintf("%s, line %d", name, number)
		if err := r.line(place, strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return nil
}

func (r *reader) line(place, text string) error {
	if text == "" || strings.HasPrefix(text, "#") {
		return nil
	}
	if r.lines++; r.lines > maxLines {
		return fmt.Errorf("there are more than %d lines of policy: give rights to groups rather than to each user", maxLines)
	}
	record := csv.NewReader(strings.NewReader(text))
	record.TrimLeadingSpace = true
	fields, err := record.Read()
	if err != nil {
		// Its own text counts lines from this one.
		if inner := (*csv.ParseError)(nil); errors.As(err, &inner) {
			err = fmt.Errorf("at byte %d: %w", inner.Column, inner.Err)
		}
		return fmt.Errorf("quotes go around a whole field, as in \"team/{a,b}\": %w", err)
	}
	return r.fields(place, fields)
}

// fields takes a line apart. Lines that begin with e, m or r would change the model, if they changed anything: Argo CD takes
// them without an error, and so does this.
func (r *reader) fields(place string, fields []string) error {
	switch kind := fields[0]; {
	case kind == "p" && len(fields) == 6:
		return r.right(place, fields[1:])
	case kind == "g" && len(fields) == 3:
		r.given[fields[1]] = append(r.given[fields[1]], fields[2])
		return nil
	case kind == "p":
		return fmt.Errorf("a policy is `p, subject, resource, action, object, effect`; this one has %d fields", len(fields))
	case kind == "g":
		return fmt.Errorf("a role is given by `g, user or group, role`; this line has %d fields", len(fields))
	case kind == "e" || kind == "m" || kind == "r":
		return nil
	default:
		return fmt.Errorf("a line begins with p or g, not with %.40q", kind)
	}
}

// right reads subject, resource, action, object and effect.
func (r *reader) right(place string, fields []string) error {
	l := &line{}
	for i, text := range [...]string{fields[1], fields[2], r.mode.object(fields[3])} {
		p, err := r.pattern(place, text)
		if err != nil {
			return err
		}
		l.patterns[i] = p
	}
	switch fields[4] {
	case "allow":
		l.effect = allow
	case "deny":
		l.effect = deny
	default:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: the effect is allow or deny; %.40q does nothing", place, fields[4]))
	}
	r.rights[fields[0]] = append(r.rights[fields[0]], l)
	return nil
}

// pattern reads a pattern. One that cannot be read is no error: a glob matches nothing, an expression fails each
// request that comes to it.
func (r *reader) pattern(place, text string) (pattern, error) {
	if len(text) > maxPattern {
		return nil, errTooLong
	}
	if known, ok := r.patterns[text]; ok {
		return known, nil
	}
	p, err := r.mode.read(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", place, err)
		r.warnings = append(r.warnings, err.Error())
		return r.mode.unreadable(err), nil
	}
	if g, is := p.(*glob.Pattern); is && g.StarInBraces() {
		r.warnings = append(r.warnings, fmt.Sprintf("%s: the pattern %q has a star in braces, which Argo CD does not always match as it is written: here it is matched so", place, text))
	}
	r.patterns[text] = p
	return p, nil
}
