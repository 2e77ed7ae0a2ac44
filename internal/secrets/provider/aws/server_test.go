package aws

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// secret is an entry of Secrets Manager: its versions by their labels and IDs.
type secret struct {
	versions map[string]string
	binary   []byte
	tags     map[string]string
	deleted  bool
}

// parameter is one of Parameter Store, with its versions, of which the last counts.
type parameter struct {
	versions []string
	tags     map[string]string
	// kind is SecureString where it is empty, and key that of AWS.
	kind, key string
}

type object = map[string]any

// server speaks the documented protocols of three services: JSON 1.1 of Secrets Manager and
// Systems Manager, and the queries of STS.
type server struct {
	*httptest.Server

	secrets    map[string]secret
	parameters map[string]parameter

	mu sync.Mutex
	// keys are the access keys that count.
	keys map[string]bool
	made int
	// asked are the names of operations, and logins what was told STS.
	asked  []string
	logins []url.Values
	bodies []object
	// instead answers in place of AWS, if it answers.
	instead func(w http.ResponseWriter, operation string, said object) bool
	// noLogins is the code with which STS refuses everybody, if it is not empty, and
	// noLogin the status.
	noLogins string
	noLogin  int
	// page is how many entries a list has at a time.
	page int
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{
		keys: map[string]bool{"AKIDGIVEN": true}, page: 2,
		secrets: map[string]secret{
			"db": {versions: map[string]string{
				"AWSCURRENT": `{"password":"s3cret<&>","port":5432,"serial":12345678901234567890,"inner":{"a":"b"},"l":[{"id":"x","v":"1"}],"a.b":"dot"}`, "AWSPREVIOUS": `{"password":"old"}`, "one": "by id",
			}, tags: map[string]string{"env": "prod", "a.b": "c"}},
			"text":       {versions: map[string]string{"AWSCURRENT": "no JSON"}},
			"binary":     {binary: []byte{0, 1, 0xff}},
			"gone":       {versions: map[string]string{"AWSCURRENT": "x"}, deleted: true, tags: map[string]string{"env": "prod"}},
			"large":      {versions: map[string]string{"AWSCURRENT": strings.Repeat("x", 1<<20)}},
			"empty":      {},
			"team/one":   {versions: map[string]string{"AWSCURRENT": "1"}, tags: map[string]string{"env": "prod", "team": "a"}},
			"team/two":   {versions: map[string]string{"AWSCURRENT": "2"}, tags: map[string]string{"env": "production", "team": "a"}},
			"team/three": {binary: []byte("3"), tags: map[string]string{"env": "prod"}},
			"other":      {versions: map[string]string{"AWSCURRENT": "o"}, tags: map[string]string{"prod": "env"}},
		},
		parameters: map[string]parameter{
			"/app/db":        {versions: []string{`{"password":"old"}`, `{"password":"s3cret","inner":{"a":"b"}}`}, tags: map[string]string{"env": "prod"}},
			"/app/list":      {versions: []string{"a,b,c"}},
			"/app/deep/one":  {versions: []string{"1"}, tags: map[string]string{"env": "prod", "team": "a"}},
			"/other":         {versions: []string{"o"}, tags: map[string]string{"env": "production"}},
			"plain":          {versions: []string{"no hierarchy"}},
			"/many/forgiven": {versions: []string{"x"}},
		},
	}
	for i := range 25 {
		s.secrets[fmt.Sprintf("many/%02d", i)] = secret{versions: map[string]string{"AWSCURRENT": strconv.Itoa(i)}}
		s.parameters[fmt.Sprintf("/many/%02d", i)] = parameter{versions: []string{strconv.Itoa(i)}, tags: map[string]string{"kind": "many"}}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, _ := url.ParseQuery(string(body))
		s.assume(w, r, form)
		return
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var said object
	if err := json.Unmarshal(body, &said); err != nil || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
		fail(w, "SerializationException", "not JSON 1.1")
		return
	}
	s.asked, s.bodies = append(s.asked, operation), append(s.bodies, said)
	switch {
	case s.instead != nil && s.instead(w, operation, said):
	case !s.keys[keyOf(r)]:
		fail(w, "UnrecognizedClientException", "The security token included in the request is invalid.")
	default:
		s.answer(w, operation, said)
	}
}

// keyOf is the access key that a request was signed with.
func keyOf(r *http.Request) string {
	_, after, _ := strings.Cut(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=")
	key, _, _ := strings.Cut(after, "/")
	return key
}

func say(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func fail(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, `{"__type":%q,"message":%q}`, "com.amazon.coral.service#"+code, message)
}

func (s *server) answer(w http.ResponseWriter, operation string, said object) {
	switch operation {
	case "GetSecretValue":
		s.secretValue(w, said)
	case "DescribeSecret":
		s.describe(w, said)
	case "ListSecrets":
		s.list(w, said)
	case "BatchGetSecretValue":
		s.batch(w, said)
	case "GetParameter":
		s.parameter(w, said)
	case "ListTagsForResource":
		one, ok := s.parameters[said["ResourceId"].(string)]
		if !ok {
			fail(w, "InvalidResourceId", "")
			return
		}
		say(w, object{"TagList": tagList(one.tags)})
	case "GetParametersByPath", "DescribeParameters":
		s.listParameters(w, operation, said)
	case "GetParameters":
		s.someParameters(w, said)
	default:
		fail(w, "UnknownOperationException", operation)
	}
}

func tagList(tags map[string]string) []object {
	out := []object{}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, object{"Key": key, "Value": tags[key]})
	}
	return out
}

// named is a secret by its name or its ARN.
func (s *server) named(id string) (string, secret, bool) {
	if _, after, ok := strings.Cut(id, ":secret:"); ok {
		id = strings.TrimSuffix(after, "-AbCdEf")
	}
	one, ok := s.secrets[id]
	return id, one, ok
}

func valueIn(one secret, version string) object {
	if one.binary != nil {
		return object{"SecretBinary": base64.StdEncoding.EncodeToString(one.binary)}
	}
	value, ok := one.versions[version]
	if !ok {
		return nil
	}
	return object{"SecretString": value}
}

func (s *server) secretValue(w http.ResponseWriter, said object) {
	name, one, ok := s.named(said["SecretId"].(string))
	version := "AWSCURRENT"
	for _, field := range []string{"VersionStage", "VersionId"} {
		if v, there := said[field].(string); there {
			version = v
		}
	}
	value := valueIn(one, version)
	switch {
	case !ok:
		fail(w, "ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
	case one.deleted:
		fail(w, "InvalidRequestException", "You can't perform this operation on the secret because it was marked for deletion.")
	case name == "empty":
		say(w, object{"Name": name})
	case value == nil:
		fail(w, "ResourceNotFoundException", "Secrets Manager can't find the specified secret value for staging label: "+version)
	default:
		value["Name"], value["VersionId"] = name, "v-"+version
		say(w, value)
	}
}

func (s *server) describe(w http.ResponseWriter, said object) {
	name, one, ok := s.named(said["SecretId"].(string))
	if !ok {
		fail(w, "ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
		return
	}
	out := object{"Name": name, "Tags": tagList(one.tags)}
	if one.deleted {
		out["DeletedDate"] = 1.7e9
	}
	say(w, out)
}

// paged is a page of names.
func (s *server) paged(names []string, said object) (page []string, next any) {
	from := 0
	if token, ok := said["NextToken"].(string); ok {
		from, _ = strconv.Atoi(token)
	}
	to := min(from+s.page, len(names))
	if to < len(names) {
		next = strconv.Itoa(to)
	}
	return names[from:to], next
}

// beginning are filters, which compare beginnings.
func (s *server) list(w http.ResponseWriter, said object) {
	var names []string
	filters, _ := said["Filters"].([]any)
	for _, name := range slices.Sorted(maps.Keys(s.secrets)) {
		fits := !s.secrets[name].deleted
		for _, f := range filters {
			has := []string{name}
			switch f.(object)["Key"] {
			case "tag-key":
				has = slices.Collect(maps.Keys(s.secrets[name].tags))
			case "tag-value":
				has = slices.Collect(maps.Values(s.secrets[name].tags))
			}
			want := f.(object)["Values"].([]any)[0].(string)
			fits = fits && slices.ContainsFunc(has, func(one string) bool { return strings.HasPrefix(one, want) })
		}
		if fits {
			names = append(names, name)
		}
	}
	page, next := s.paged(names, said)
	all := []object{}
	for _, name := range page {
		all = append(all, object{"Name": name, "ARN": "arn:aws:secretsmanager:eu-central-1:1:secret:" + name, "Tags": tagList(s.secrets[name].tags)})
	}
	say(w, object{"SecretList": all, "NextToken": next})
}

func (s *server) batch(w http.ResponseWriter, said object) {
	ids := said["SecretIdList"].([]any)
	if len(ids) > 20 {
		fail(w, "ValidationException", "at most 20")
		return
	}
	values, wrong := []object{}, []object{}
	for _, id := range ids {
		name, one, ok := s.named(id.(string))
		value := valueIn(one, "AWSCURRENT")
		switch {
		case !ok:
			wrong = append(wrong, object{"SecretId": id, "ErrorCode": "ResourceNotFoundException", "Message": "no such secret"})
		case value == nil:
			wrong = append(wrong, object{"SecretId": id, "ErrorCode": "DecryptionFailure", "Message": "the key is not there"})
		default:
			value["Name"] = name
			values = append(values, value)
		}
	}
	say(w, object{"SecretValues": values, "Errors": wrong})
}

func (s *server) parameter(w http.ResponseWriter, said object) {
	name := said["Name"].(string)
	if _, after, ok := strings.Cut(name, ":parameter"); ok {
		name = after
	}
	name, version, _ := strings.Cut(name, ":")
	one, ok := s.parameters[name]
	if !ok {
		fail(w, "ParameterNotFound", "")
		return
	}
	n := len(one.versions)
	if version != "" {
		n, _ = strconv.Atoi(version)
	}
	if n < 1 || n > len(one.versions) {
		fail(w, "ParameterVersionNotFound", "Systems Manager could not find version "+version)
		return
	}
	out := parameterOf(name, one.versions[n-1], said)
	out["Type"] = cmp.Or(one.kind, "SecureString")
	say(w, object{"Parameter": out})
}

func parameterOf(name, value string, said object) object {
	if decrypt, _ := said["WithDecryption"].(bool); !decrypt {
		value = "AQICAHh"
	}
	return object{"Name": name, "Value": value, "Type": "SecureString", "Version": 1}
}

func (s *server) listParameters(w http.ResponseWriter, operation string, said object) {
	filters, _ := said["ParameterFilters"].([]any)
	if path, ok := said["Path"].(string); ok {
		filters = append(filters, object{"Key": "Path", "Values": []any{path}})
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.parameters)) {
		fits := true
		for _, f := range filters {
			key, want := f.(object)["Key"].(string), f.(object)["Values"].([]any)[0].(string)
			if tag, ok := strings.CutPrefix(key, "tag:"); ok {
				fits = fits && s.parameters[name].tags[tag] == want
			} else if key == "Name" {
				fits = fits && name == want
			} else {
				fits = fits && (want == "/" || strings.HasPrefix(name, strings.TrimSuffix(want, "/")+"/"))
			}
		}
		if fits {
			names = append(names, name)
		}
	}
	page, next := s.paged(names, said)
	all := []object{}
	for _, name := range page {
		one := parameterOf(name, s.parameters[name].versions[len(s.parameters[name].versions)-1], said)
		if operation == "DescribeParameters" {
			delete(one, "Value")
			one["KeyId"] = cmp.Or(s.parameters[name].key, "alias/aws/ssm")
		}
		all = append(all, one)
	}
	say(w, object{"Parameters": all, "NextToken": next})
}

func (s *server) someParameters(w http.ResponseWriter, said object) {
	names := said["Names"].([]any)
	if len(names) > 10 {
		fail(w, "ValidationException", "at most 10")
		return
	}
	all, invalid := []object{}, []any{}
	for _, name := range names {
		one, ok := s.parameters[name.(string)]
		if !ok {
			invalid = append(invalid, name)
			continue
		}
		all = append(all, parameterOf(name.(string), one.versions[len(one.versions)-1], said))
	}
	say(w, object{"Parameters": all, "InvalidParameters": invalid})
}

const assumed = `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials>
<AccessKeyId>%[2]s</AccessKeyId><SecretAccessKey>made-secret-key-of-%[2]s</SecretAccessKey><SessionToken>made-session-token-of-%[2]s</SessionToken><Expiration>%[3]s</Expiration>
</Credentials><AssumedRoleUser><Arn>arn</Arn><AssumedRoleId>id</AssumedRoleId></AssumedRoleUser></%[1]sResult></%[1]sResponse>`

// assume is STS.
func (s *server) assume(w http.ResponseWriter, r *http.Request, form url.Values) {
	operation := form.Get("Action")
	form.Set("by", keyOf(r))
	s.asked, s.logins = append(s.asked, operation), append(s.logins, form)
	w.Header().Set("Content-Type", "text/xml")
	why, status := "", http.StatusForbidden
	switch {
	case s.noLogins != "":
		why, status = s.noLogins, s.noLogin
	case strings.Contains(form.Get("RoleArn"), "forbidden"):
		why = "AccessDenied"
	case operation == "AssumeRole" && !s.keys[keyOf(r)]:
		why = "ExpiredToken"
	case operation == "AssumeRoleWithWebIdentity" && (r.Header.Get("Authorization") != "" || form.Get("WebIdentityToken") == ""):
		why = "InvalidIdentityToken"
	}
	if why != "" {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s is not authorized, as %s</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
			why, form.Get("RoleArn"), form.Get("WebIdentityToken"))
		return
	}
	s.made++
	key := fmt.Sprint("ASIAMADE", s.made)
	s.keys[key] = true
	_, _ = fmt.Fprintf(w, assumed, operation, key, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
}

func (s *server) answers(instead func(w http.ResponseWriter, operation string, said object) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = instead
}

func (s *server) refuseLogins(status int, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noLogin, s.noLogins = status, code
}

// revoke ends all credentials that were made.
func (s *server) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = map[string]bool{"AKIDGIVEN": true}
}

// operations are what was asked since the last time.
func (s *server) operations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.asked = nil }()
	return s.asked
}

// objects are the Secrets and service accounts of the namespace "ns".
type objects map[string]map[string]string

func (o objects) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	data, there := o[name.Name]
	if !there || name.Namespace != "ns" {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "objects"}, name.Name)
	}
	switch into := into.(type) {
	case *corev1.Secret:
		into.Data = map[string][]byte{}
		for key, text := range data {
			into.Data[key] = []byte(text)
		}
	case *corev1.ServiceAccount:
		into.Annotations = data
	}
	return nil
}

func (objects) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nobody lists")
}

var all = objects{
	"creds":   {"id": "AKIDGIVEN", "key": "given-secret-key", "token": "given-session-token", "wrong": "AKIDWRONG"},
	"irsa":    {annotationRole: "arn:aws:iam::1:role/irsa"},
	"special": {annotationRole: "arn:aws:iam::1:role/irsa", annotationAudience: "elsewhere"},
	"bare":    {},
	"denied":  {annotationRole: "arn:aws:iam::1:role/forbidden"},
}

func cluster(engine bool) store.Cluster {
	return store.Cluster{
		Objects: all, Engine: engine,
		Tokens: func(_ context.Context, account types.NamespacedName, audiences []string) (string, error) {
			return "jwt of " + account.String() + " for " + strings.Join(audiences, ","), nil
		},
	}
}

func (s *server) factory() Factory {
	return Factory{Endpoints: Endpoints{SecretsManager: s.URL, ParameterStore: s.URL, STS: s.URL, ECR: s.URL, ECRPublic: s.URL}}
}

// open is a store of the namespace "ns".
func (s *server) open(t *testing.T, config string) (provider.Reader, error) {
	t.Helper()
	return s.factory().Open(t.Context(), json.RawMessage(config), store.NewShelf(cluster(true), nil).Around("ns"))
}

func (s *server) opened(t *testing.T, config string) provider.Reader {
	t.Helper()
	p, err := s.open(t, config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	keys = `"auth":{"secretRef":{"accessKeyIDSecretRef":{"name":"creds","key":"id"},"secretAccessKeySecretRef":{"name":"creds","key":"key"}}}`

	ofSecrets    = `{"service":"SecretsManager","region":"eu-central-1",` + keys + `}`
	ofParameters = `{"service":"ParameterStore","region":"eu-central-1",` + keys + `}`
	ofRole       = `{"service":"SecretsManager","region":"eu-central-1","role":"arn:aws:iam::1:role/reader",` + keys + `}`
	ofAccount    = `{"service":"SecretsManager","region":"eu-central-1","auth":{"jwt":{"serviceAccountRef":{"name":"%s","audiences":["more"]}}}}`
)
