package codecommit_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/causeway-gitops/causeway/internal/host/codecommit"
)

const secret = "s3cret-access-key"

// cloud speaks AWS's JSON 1.1 protocol, and STS's query protocol, at one address.
type cloud struct {
	*httptest.Server

	mu sync.Mutex
	// answers by "Service.Operation"; faults come before all of them.
	answers map[string]func(input map[string]any) (int, string)
	faults  []http.HandlerFunc
	asked   []string
	// signed are the credential scopes that requests were signed for.
	signed []string
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	c := &cloud{answers: map[string]func(map[string]any) (int, string){}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

func (c *cloud) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	operation, input := parse(r, body)
	c.mu.Lock()
	c.asked = append(c.asked, operation)
	c.signed = append(c.signed, scope(r))
	answer := c.answers[operation]
	var fault http.HandlerFunc
	if len(c.faults) > 0 {
		fault, c.faults = c.faults[0], c.faults[1:]
	}
	c.mu.Unlock()
	switch {
	case fault != nil:
		fault(w, r)
	case answer == nil:
		send(w, 400, `{"__type":"UnknownOperationException"}`)
	default:
		code, text := answer(input)
		send(w, code, text)
	}
}

// parse tells the operation, "CodeCommit.ListRepositories", and its input.
func parse(r *http.Request, body []byte) (string, map[string]any) {
	input := map[string]any{}
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		_ = json.Unmarshal(body, &input)
		service, operation, _ := strings.Cut(target, ".")
		service, _, _ = strings.Cut(service, "_")
		return service + "." + operation, input
	}
	form, _ := url.ParseQuery(string(body))
	for k := range form {
		input[k] = form.Get(k)
	}
	return "STS." + form.Get("Action"), input
}

// scope is "KEY region" of the Authorization header.
func scope(r *http.Request) string {
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	parts := strings.Split(rest, "/")
	if len(parts) < 3 {
		return ""
	}
	return parts[0] + " " + parts[2]
}

func send(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

func fail(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { send(w, code, text) }
}

// say answers an operation with one text.
func (c *cloud) say(operation, text string) {
	c.answers[operation] = func(map[string]any) (int, string) { return 200, text }
}

// config never waits between attempts.
func (c *cloud) config() *aws.Config {
	return &aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(c.URL), Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", secret, ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.RateLimiter = ratelimit.None
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}
}

func open(t *testing.T, c *cloud, o codecommit.Options) *codecommit.Client {
	t.Helper()
	if o.Config == nil {
		o.Config = c.config()
	}
	client, err := codecommit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// repository answers GetRepository for every name; "empty" has no branch.
func repository(input map[string]any) (int, string) {
	name, _ := input["repositoryName"].(string)
	branch := `"defaultBranch":"main",`
	if name == "empty" {
		branch = ""
	}
	return 200, fmt.Sprintf(`{"repositoryMetadata":{"accountId":"111122223333","repositoryId":"id-%[1]s","repositoryName":"%[1]s",%[2]s
		"cloneUrlHttp":"https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/%[1]s","cloneUrlSsh":"ssh://git-codecommit.eu-west-1.amazonaws.com/v1/repos/%[1]s",
		"creationDate":1777600000.5,"Arn":"arn:aws:codecommit:eu-west-1:111122223333:%[1]s"}}`, name, branch)
}
