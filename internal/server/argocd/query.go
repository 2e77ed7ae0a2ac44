package argocd

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// maxText bounds one value of a query.
const maxText = 1024

// query is what the address of a request says. What is not known is passed
// over, as Argo CD does.
type query url.Values

func queryOf(r *http.Request) (query, error) {
	if len(r.URL.RawQuery) > maxQuery {
		return nil, problemf(invalid, "the query has more than %d bytes", maxQuery)
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, problemf(invalid, "the query cannot be read")
	}
	return query(values), nil
}

func (q query) text(name string) (string, error) {
	text := url.Values(q).Get(name)
	if len(text) > maxText {
		return "", problemf(invalid, "%s has more than %d characters", name, maxText)
	}
	return text, nil
}

// texts are the values of all names together: Argo CD has two for some.
func (q query) texts(names ...string) (out []string) {
	for _, n := range names {
		out = append(out, q[n]...)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// truth is a value that is true or false, and something when it is absent.
func (q query) truth(name string, absent bool) (bool, error) {
	text := url.Values(q).Get(name)
	if text == "" {
		return absent, nil
	}
	is, err := strconv.ParseBool(text)
	if err != nil {
		return false, problemf(invalid, "%s is neither true nor false", name)
	}
	return is, nil
}

func (q query) number(name string) (int64, error) {
	text := url.Values(q).Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, problemf(invalid, "%s is no number from 0", name)
	}
	return n, nil
}

// ref names an object of an Application.
func (q query) ref() (api.Ref, error) {
	var r api.Ref
	for name, into := range map[string]*string{"group": &r.Group, "version": &r.Version, "kind": &r.Kind, "namespace": &r.Namespace, "resourceName": &r.Name} {
		text, err := q.text(name)
		if err != nil {
			return r, err
		}
		*into = text
	}
	if r.Kind == "" || r.Name == "" {
		return r, problemf(invalid, "the query needs kind and resourceName")
	}
	return r, nil
}

// decode reads the body; none is as good as an empty object.
func (s *server) decode(c *call, into any) error {
	end, err := s.Bodies.Decode(c.Context())
	if err != nil {
		return err
	}
	defer end()
	if err = json.NewDecoder(c.Body).Decode(into); err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return problemf(invalid, "the body is not the JSON that is expected: %.*s", maxText, err.Error())
}
