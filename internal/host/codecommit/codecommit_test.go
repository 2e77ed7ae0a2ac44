package codecommit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/codecommit"
	"github.com/causeway-gitops/causeway/test/nobody"
)

var _ host.Forge = (*codecommit.Client)(nil)

// region is one with app, empty and, on a second page, lib.
func region(c *cloud) {
	c.answers["CodeCommit.ListRepositories"] = func(input map[string]any) (int, string) {
		if input["nextToken"] == "two" {
			return 200, `{"repositories":[{"repositoryName":"lib","repositoryId":"id-lib"}]}`
		}
		return 200, `{"repositories":[{"repositoryName":"app"},{"repositoryName":"empty"}],"nextToken":"two"}`
	}
	c.answers["CodeCommit.GetRepository"] = repository
}

func at(name, url string) gitops.HostRepository {
	return gitops.HostRepository{Organization: "111122223333", Repository: name, ID: "id-" + name, URL: url + name, Branch: "main"}
}

func TestRepositories(t *testing.T) {
	cases := map[string]struct {
		reason   string
		protocol string
		want     string
	}{
		"default": {"ssh is what is cloned by", "", "ssh://git-codecommit.eu-west-1.amazonaws.com/v1/repos/"},
		"ssh":     {"the same in words", "ssh", "ssh://git-codecommit.eu-west-1.amazonaws.com/v1/repos/"},
		"https":   {"the other address", "https", "https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/"},
		"fips":    {"the address of validated cryptography", "https-fips", "https://git-codecommit-fips.eu-west-1.amazonaws.com/v1/repos/"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t)
			region(c)
			got, err := open(t, c, codecommit.Options{CloneProtocol: tc.protocol}).Repositories(t.Context())
			if diff := cmp.Diff([]gitops.HostRepository{at("app", tc.want), at("lib", tc.want)}, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestTagFilters(t *testing.T) {
	c := newCloud(t)
	c.answers["CodeCommit.GetRepository"] = repository
	var inputs []map[string]any
	c.answers["ResourceGroupsTaggingAPI.GetResources"] = func(input map[string]any) (int, string) {
		inputs = append(inputs, input)
		if input["PaginationToken"] == "two" {
			return 200, `{"PaginationToken":"","ResourceTagMappingList":[{"ResourceARN":"arn:aws:codecommit:eu-west-1:111122223333:lib"}]}`
		}
		return 200, `{"PaginationToken":"two","ResourceTagMappingList":[{"ResourceARN":"arn:aws:codecommit:eu-west-1:111122223333:app","Tags":[{"Key":"team","Value":"a"}]}]}`
	}
	filters := []codecommit.TagFilter{{Key: "team", Value: "a"}, {Key: "deploy"}, {Key: "team", Value: "b"}}
	got, err := open(t, c, codecommit.Options{TagFilters: filters}).Repositories(t.Context())
	ssh := "ssh://git-codecommit.eu-west-1.amazonaws.com/v1/repos/"
	if diff := cmp.Diff([]gitops.HostRepository{at("app", ssh), at("lib", ssh)}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	want := map[string]any{
		"ResourceTypeFilters": []any{"codecommit:repository"},
		"TagFilters":          []any{map[string]any{"Key": "team", "Values": []any{"a", "b"}}, map[string]any{"Key": "deploy"}},
	}
	if diff := cmp.Diff(want, inputs[0]); diff != "" {
		t.Errorf("values of one key are alternatives (-want +got):\n%s", diff)
	}
}

func TestBranches(t *testing.T) {
	c := newCloud(t)
	c.answers["CodeCommit.ListBranches"] = func(input map[string]any) (int, string) {
		if input["nextToken"] == "two" {
			return 200, `{"branches":["feature/x"]}`
		}
		return 200, `{"branches":["main"],"nextToken":"two"}`
	}
	from := at("app", "ssh://x/")
	other := from
	other.Branch = "feature/x"
	got, err := open(t, c, codecommit.Options{}).Branches(t.Context(), from)
	if diff := cmp.Diff([]gitops.HostRepository{from, other}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestHasPath(t *testing.T) {
	folder := `{"commitId":"c","treeId":"t","folderPath":"/deploy",
		"files":[{"relativePath":"x.yaml","absolutePath":"deploy/x.yaml"}],"subFolders":[{"relativePath":"base"}],"symbolicLinks":[{"relativePath":"link"}],"subModules":[{"relativePath":"module"}]}`
	cases := map[string]struct {
		reason string
		path   string
		answer string
		code   int
		want   bool
		fails  bool
	}{
		"file":          {"a file of the folder", "deploy/x.yaml", folder, 200, true, false},
		"folder":        {"a folder, with a slash behind", "/deploy/base/", folder, 200, true, false},
		"link":          {"a link", "deploy/./link", folder, 200, true, false},
		"module":        {"a submodule", "deploy/module", folder, 200, true, false},
		"missing":       {"not in the folder", "deploy/none", folder, 200, false, false},
		"no folder":     {"nothing to look into", "deploy/x.yaml", `{"__type":"FolderDoesNotExistException","message":"no"}`, 400, false, false},
		"no branch":     {"as Argo CD has it", "deploy/x.yaml", `{"__type":"CommitDoesNotExistException"}`, 400, false, false},
		"no repository": {"as Argo CD has it", "deploy/x.yaml", `{"__type":"com.amazonaws.codecommit#RepositoryDoesNotExistException"}`, 400, false, false},
		"refused":       {"no answer", "deploy/x.yaml", `{"__type":"AccessDeniedException"}`, 400, false, true},
		"other object":  {"an answer that tells nothing", "deploy/x.yaml", `{}`, 200, false, true},
		"outside":       {"a path that leads out", "../x", folder, 200, false, true},
		"root":          {"it is always there", "/", `{}`, 500, true, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t)
			c.answers["CodeCommit.GetFolder"] = func(input map[string]any) (int, string) {
				want := map[string]any{"repositoryName": "app", "commitSpecifier": "main", "folderPath": "/deploy"}
				if diff := cmp.Diff(want, input); diff != "" {
					t.Errorf("input (-want +got):\n%s", diff)
				}
				return tc.code, tc.answer
			}
			got, err := open(t, c, codecommit.Options{}).HasPath(t.Context(), at("app", ""), tc.path)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
		})
	}
}

func TestRole(t *testing.T) {
	const role = "arn:aws:iam::111122223333:role/reader"
	c := newCloud(t)
	region(c)
	c.answers["STS.AssumeRole"] = func(input map[string]any) (int, string) {
		if input["RoleArn"] != role || input["RoleSessionName"] != "causeway" {
			t.Errorf("asked for %v", input)
		}
		return 200, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId>
			<SecretAccessKey>x</SecretAccessKey><SessionToken>y</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	}
	_, err := open(t, c, codecommit.Options{Role: role, Region: "us-east-2"}).Repositories(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"AKIDEXAMPLE eu-west-1", "ASIAROLE us-east-2"}
	if diff := cmp.Diff(want, c.signed[:2]); diff != "" {
		t.Errorf("the role is taken at home, and used in the region (-want +got):\n%s", diff)
	}
	c.faults = []http.HandlerFunc{fail(403, `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>User is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>`)}
	_, err = open(t, c, codecommit.Options{Role: role}).Repositories(t.Context())
	judge(t, "a role that may not be taken", err, gitops.Refused, "sts:AssumeRole")
}

func judge(t *testing.T, reason string, err error, kind gitops.ProblemKind, want string) {
	t.Helper()
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != kind || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want a Problem with %q", reason, err, want)
	}
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("%s: the secret shows in %q", reason, err)
	}
}

func TestFaults(t *testing.T) {
	down := fail(503, "<h1>down</h1>")
	throttled := fail(400, `{"__type":"ThrottlingException","message":"Rate exceeded"}`)
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "11")
		send(w, 429, `{"__type":"TooManyRequestsException"}`)
	}
	cases := map[string]struct {
		reason  string
		answers []http.HandlerFunc
		want    string
		kind    gitops.ProblemKind
	}{
		"throttled":      {"it passes", []http.HandlerFunc{throttled, busy}, "", 0},
		"long throttled": {"it does not pass", []http.HandlerFunc{throttled, throttled, throttled}, "Rate exceeded; use a longer requeueAfterSeconds", gitops.Unreachable},
		"busy":           {"the same by status", []http.HandlerFunc{busy, busy, busy}, "429", gitops.Unreachable},
		"outage":         {"it passes", []http.HandlerFunc{down, down}, "", 0},
		"lasting outage": {"it does not pass", []http.HandlerFunc{down, down, down}, "503", gitops.Unreachable},
		"wrong key":      {"only another key helps", []http.HandlerFunc{fail(400, `{"__type":"UnrecognizedClientException","message":"The security token included in the request is invalid."}`)}, "security token", gitops.Refused},
		"wrong secret":   {"a long text with what was signed", []http.HandlerFunc{fail(403, `{"__type":"InvalidSignatureException","message":"The signature does not match.\n\nThe Canonical String was\n`+strings.Repeat("x", 500)+`"}`)}, "…", gitops.Refused},
		"not enough":     {"only more rights help", []http.HandlerFunc{fail(400, `{"__type":"AccessDeniedException","Message":"not authorized"}`)}, "not authorized", gitops.Refused},
		"plain 401":      {"a proxy on the way", []http.HandlerFunc{fail(401, "no")}, "401", gitops.Refused},
		"page":           {"a page for people", []http.HandlerFunc{fail(200, "<html>")}, "not of the API's form", gitops.Unreachable},
		"nothing":        {"no answer is not an empty list", []http.HandlerFunc{fail(200, "")}, "not of the API's form", gitops.Unreachable},
		"other object":   {"another object is not an empty list", []http.HandlerFunc{fail(200, "{}")}, "not of the API's form", gitops.Unreachable},
		"went away":      {"a list that is older than the repositories", []http.HandlerFunc{nil, nil, fail(400, `{"__type":"RepositoryDoesNotExistException","message":"app does not exist"}`)}, "app does not exist", gitops.NotFound},
		"wrong request":  {"nothing that waiting ends", []http.HandlerFunc{fail(400, `{"__type":"InvalidContinuationTokenException","message":"bad token"}`)}, "bad token", gitops.Invalid},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t)
			region(c)
			c.faults = tc.answers
			_, err := open(t, c, codecommit.Options{}).Repositories(t.Context())
			if tc.want == "" {
				if err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			judge(t, tc.reason, err, tc.kind, tc.want)
		})
	}
}

// handed answers every request with one text, without a network: what hangs up in the middle is asked again.
type handed string

func (h handed) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(h)))}, nil
}

func TestAnswersAreBounded(t *testing.T) {
	c := newCloud(t)
	config := c.config()
	config.HTTPClient = handed(`{"repositories":[` + strings.Repeat(" ", 32<<20) + "]}")
	_, err := open(t, c, codecommit.Options{Config: config}).Repositories(t.Context())
	judge(t, "more than is read", err, gitops.Unreachable, "too large")
}

func TestNobodyAnswers(t *testing.T) {
	c := newCloud(t)
	c.URL = "http://" + nobody.Address(t)
	_, err := open(t, c, codecommit.Options{}).Repositories(t.Context())
	judge(t, "a server that is gone", err, gitops.Unreachable, "connection refused")
}

func TestCancelled(t *testing.T) {
	c := newCloud(t)
	ctx, cancel := context.WithCancel(t.Context())
	c.faults = []http.HandlerFunc{func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}}
	if _, err := open(t, c, codecommit.Options{}).Repositories(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNoCredentials(t *testing.T) {
	c := newCloud(t)
	region(c)
	cfg := c.config()
	cfg.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("no EC2 IMDS role found")
	})
	_, err := open(t, c, codecommit.Options{Config: cfg}).Repositories(t.Context())
	judge(t, "nobody gave any", err, gitops.Refused, "no usable AWS credentials")
}

func TestOtherAddress(t *testing.T) {
	c := newCloud(t)
	c.say("CodeCommit.ListRepositories", `{"repositories":[{"repositoryName":"app"}]}`)
	c.say("CodeCommit.GetRepository", `{"repositoryMetadata":{"repositoryName":"app","defaultBranch":"main","cloneUrlHttp":"https://git.example.com/app"}}`)
	_, err := open(t, c, codecommit.Options{CloneProtocol: "https-fips"}).Repositories(t.Context())
	judge(t, "an address that is not CodeCommit's", err, gitops.Invalid, "https://git.example.com/app")
}

func TestOptions(t *testing.T) {
	cases := map[string]struct {
		reason string
		o      codecommit.Options
		want   string
	}{
		"protocol": {"there is no git protocol", codecommit.Options{CloneProtocol: "git"}, `cloneProtocol "git" is unknown`},
		"region":   {"neither spec nor environment names one", codecommit.Options{Config: &aws.Config{}}, "no region is known"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := codecommit.New(c.o)
			judge(t, c.reason, err, gitops.Invalid, c.want)
		})
	}
}

func TestEnvironment(t *testing.T) {
	c := newCloud(t)
	region(c)
	for name, value := range map[string]string{
		"AWS_REGION": "ap-south-1", "AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_ENDPOINT_URL": c.URL, "AWS_CONFIG_FILE": t.TempDir() + "/none", "AWS_SHARED_CREDENTIALS_FILE": t.TempDir() + "/none", "AWS_CA_BUNDLE": "",
	} {
		t.Setenv(name, value)
	}
	client, err := codecommit.New(codecommit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Repositories(t.Context())
	if err != nil || len(got) != 2 || c.signed[0] != "AKIDENV ap-south-1" {
		t.Errorf("got %v, %v, signed %v", got, err, c.signed)
	}
}
