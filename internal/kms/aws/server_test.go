package aws

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const arn = "arn:aws:kms:eu-central-1:111122223333:key/"

// server speaks AWS's JSON 1.1, as KMS documents it: its own blobs name the key that made them.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	aliases map[string]string // ARNs of keys
	states  map[string]string // codes of errors, by ARN
	refuse  []string          // codes of errors of the next requests
	answer  http.HandlerFunc
	asked   []string
	who     []string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{aliases: map[string]string{"alias/causeway": arn + "one"}, states: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_KMS": s.URL, "AWS_ACCESS_KEY_ID": "AKIAPLANTED", "AWS_SECRET_ACCESS_KEY": "planted-key-of-aws", "AWS_SESSION_TOKEN": "",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_PROFILE": "", "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	var in struct {
		KeyID          string `json:"KeyId"`
		Plaintext      []byte
		CiphertextBlob []byte
	}
	_ = json.Unmarshal(text, &in)
	what := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "TrentService.")
	s.asked, s.who = append(s.asked, what), append(s.who, r.Header.Get("Authorization"))
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	if len(s.refuse) > 0 {
		fail(w, s.refuse[0], "")
		s.refuse = s.refuse[1:]
		return
	}
	key := in.KeyID
	if of := s.aliases[key]; of != "" {
		key = of
	}
	switch code := s.states[key]; {
	case !strings.HasPrefix(key, arn):
		fail(w, "NotFoundException", "Alias "+key+" is not found.")
		return
	case code != "":
		fail(w, code, key+" is not usable.")
		return
	}
	switch what {
	case "Encrypt":
		blob := encoded(map[string]string{"key": key, "text": base64.StdEncoding.EncodeToString(flip(in.Plaintext))})
		reply(w, map[string]any{"KeyId": key, "CiphertextBlob": blob, "EncryptionAlgorithm": "SYMMETRIC_DEFAULT"})
	case "Decrypt":
		var blob struct {
			Key  string `json:"key"`
			Text []byte `json:"text"`
		}
		switch err := json.Unmarshal(in.CiphertextBlob, &blob); {
		case err != nil:
			fail(w, "InvalidCiphertextException", "")
		case blob.Key != key:
			fail(w, "IncorrectKeyException", "The key ID in the request does not identify a CMK that can perform this operation.")
		default:
			reply(w, map[string]any{"KeyId": key, "Plaintext": flip(blob.Text), "EncryptionAlgorithm": "SYMMETRIC_DEFAULT"})
		}
	default:
		fail(w, "UnknownOperationException", what)
	}
}

func reply(w http.ResponseWriter, values map[string]any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	answerWith(w, values)
}

func fail(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(http.StatusBadRequest)
	answerWith(w, map[string]string{"__type": code, "message": message})
}

func flip(in []byte) []byte {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = ^b
	}
	return out
}

func (s *server) set(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func answerWith(w http.ResponseWriter, value any) { _, _ = w.Write(encoded(value)) }

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
