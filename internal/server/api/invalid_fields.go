package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Unfit is that something cannot be written as it was sent, field by field.
type Unfit struct{ Fields []Unfitting }

// Unfitting is one field, and what to do about it. It has no secrets.
type Unfitting struct{ Field, Message string }

// Add tells of one more field, by its path below the body: secrets.password.
func (u *Unfit) Add(field, message string) {
	u.Fields = append(u.Fields, Unfitting{field, message})
}

// Has reports whether something is told of a field; of none in particular, whether
// anything is.
func (u *Unfit) Has(field string) bool {
	return slices.ContainsFunc(u.Fields, func(f Unfitting) bool { return field == "" || f.Field == field })
}

// Err is nil where all fields fit. It names them in the order of their paths.
func (u *Unfit) Err() error {
	if len(u.Fields) == 0 {
		return nil
	}
	slices.SortStableFunc(u.Fields, func(a, b Unfitting) int { return strings.Compare(a.Field, b.Field) })
	return u
}

// Error names all fields.
func (u *Unfit) Error() string {
	said := make([]string, 0, len(u.Fields))
	for _, f := range u.Fields {
		said = append(said, strings.TrimPrefix(f.Field+": "+f.Message, ": "))
	}
	return strings.Join(said, "; ")
}

// answer is the problem document.
func (u *Unfit) answer() error {
	out := &huma.ErrorModel{Title: http.StatusText(http.StatusUnprocessableEntity), Status: http.StatusUnprocessableEntity, Detail: u.Error()}
	for _, f := range u.Fields {
		out.Errors = append(out.Errors, &huma.ErrorDetail{Message: f.Message, Location: strings.TrimSuffix("body."+f.Field, ".")})
	}
	return out
}

// Bounds of what is told of a request that does not fit.
const (
	maxDetails = 20
	// In bytes: the whole, and one detail.
	maxWhole  = 16 << 10
	maxDetail = 1 << 10
)

// brief bounds what is told of what does not fit: a list of a request has
// thousands of parts, and each may.
func brief(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	m.Detail = cut(m.Detail, maxWhole)
	if more := len(m.Errors) - maxDetails; more > 0 {
		m.Errors = append(slices.Clone(m.Errors[:maxDetails]), &huma.ErrorDetail{Message: gitops.More(more)})
	}
	for _, e := range m.Errors {
		e.Message, e.Location = cut(e.Message, maxDetail), cut(e.Location, maxDetail)
		if text, is := e.Value.(string); is {
			e.Value = cut(text, maxDetail)
		}
	}
	return m, nil
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// silent leaves out of an answer what was sent in a body: a field that does not
// fit may be a password.
func silent(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	for _, e := range m.Errors {
		if strings.HasPrefix(e.Location, "body") {
			e.Value = nil
		}
	}
	return m, nil
}
