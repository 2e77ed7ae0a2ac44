package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// userAgent is how API servers see the engine's requests.
const userAgent = "causeway"

// Parser reads cluster Secrets. The zero value allows no programs but the
// well-known ones.
type Parser struct {
	// Allow lists the programs that may get credentials, besides WellKnown;
	// nil for none.
	Allow func() []string
	// NoPrograms has no program run at all, whatever Allow lists: who describes
	// clusters is not who runs this.
	NoPrograms bool
	// Pause is that of credentials which are got: see credential.Options.
	Pause time.Duration
}

// Parse reads a cluster Secret. The config is nil for the hub without
// credentials of its own. Errors name the Secret and the key, never what is
// in it; the description is as complete as can be even then.
func (p Parser) Parse(s *corev1.Secret) (gitops.Cluster, *rest.Config, error) {
	d := clustersecret.Describe(s)
	if d.Server == "" {
		return d, nil, secretProblem(s, "server", errors.New("it is empty"))
	}
	if clustersecret.HasUser(s) {
		return d, nil, secretProblem(s, "server", errors.New("it has a user in it: credentials belong into data.config"))
	}
	if strings.HasPrefix(d.Server, "arn:") {
		return d, nil, secretProblem(s, "server", errors.New("it is a name of AWS: write the address of the API server"))
	}
	if err := gitops.OneServer(d.Server); err != nil {
		return d, nil, secretProblem(s, "server", err)
	}
	if u, err := url.Parse(d.Server); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return d, nil, secretProblem(s, "server", errors.New("it is not an https address"))
	}
	if !ascii(d.Server) {
		return d, nil, secretProblem(s, "server", errors.New("it has letters that look like others: write its host as xn--…"))
	}
	var conn Connection
	if err := decodeConfig(s.Data["config"], &conn); err != nil {
		return d, nil, secretProblem(s, "config", err)
	}
	cfg, err := conn.restConfig(d.Server, p)
	if err != nil {
		return d, nil, secretProblem(s, "config", err)
	}
	if cfg != nil {
		conn.hideProxy(cfg)
		reply.Guard(cfg, func() string { return d.Name }) // also for those who reach it without a fleet
	}
	return d, cfg, nil
}

// ascii reports whether a text has no letters that a look-up of the host would
// turn into others: the address would be compared as one, and reached as another.
func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

func secretProblem(s *corev1.Secret, key string, err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot use cluster Secret %s/%s, data.%s: %w", s.Namespace, s.Name, key, err).
		Do(fmt.Sprintf("correct data.%s of the Secret", key))
}

// decodeConfig tells where JSON is wrong, not what it says there.
func decodeConfig(data []byte, into *Connection) error {
	if len(data) == 0 {
		return nil
	}
	if len(data) > maxConfig {
		return fmt.Errorf("it is longer than %d bytes", maxConfig)
	}
	err := json.Unmarshal(data, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON: error at byte %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return errors.New("it is JSON, and no object: write fields in braces, as {\"bearerToken\": …}")
	case errors.As(err, &kind):
		return fmt.Errorf("field %s must be %s", kind.Field, inWords(kind.Type))
	}
	return errors.New("it cannot be read: certData, keyData and caData must be base64")
}

// inWords says what JSON a field takes.
func inWords(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.String:
		return "text in quotes"
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "base64 in quotes"
	case kind == reflect.Slice:
		return "a list in brackets"
	}
	return "an object in braces"
}
