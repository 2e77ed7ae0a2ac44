package fleet

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestConnectionsPrintNoSecrets: what signs in to a cluster is in no text that is made of a connection without thinking of it.
func TestConnectionsPrintNoSecrets(t *testing.T) {
	const planted = "hunter2"
	c := Connection{
		Username: "robot", Password: planted, BearerToken: planted, ProxyURL: "https://me:" + planted + "@proxy.example.com",
		TLS:  TLS{ServerName: "api.example.com", KeyData: []byte(planted), CAData: []byte("ca")},
		Exec: &Plugin{Command: "kubelogin", Args: []string{"--secret", planted}, Env: map[string]string{"TOKEN": planted}},
	}
	forms := []string{planted, base64.StdEncoding.EncodeToString([]byte(planted)), strings.Trim(fmt.Sprintf("%d", []byte(planted)), "[]"), strings.Trim(fmt.Sprintf("%#v", []byte(planted)), "[]byte{}")}
	for name, tc := range map[string]struct {
		v    any
		tell string
	}{
		"connection": {c, "robot"}, "pointer": {&c, "robot"}, "inside": {struct{ Login Connection }{c}, "robot"},
		"tls": {c.TLS, "api.example.com"}, "pointer to tls": {&c.TLS, "api.example.com"},
		"proxy without a scheme": {Connection{Username: "robot", ProxyURL: "me:" + planted + "@proxy:3128"}, "robot"},
		"plugin":                 {*c.Exec, "kubelogin"}, "pointer to a plugin": {c.Exec, "kubelogin"},
	} {
		var text, asJSON bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("it", "value", tc.v)
		out := map[string]string{"%v": fmt.Sprintf("%v", tc.v), "%+v": fmt.Sprintf("%+v", tc.v), "%#v": fmt.Sprintf("%#v", tc.v), "%s": fmt.Sprintf("%s", tc.v), "slog": text.String()}
		if name != "inside" { // encoding/json asks no struct how it is logged
			slog.New(slog.NewJSONHandler(&asJSON, nil)).Info("it", "value", tc.v)
			out["slog in JSON"] = asJSON.String()
		}
		for way, text := range out {
			for _, form := range forms {
				if strings.Contains(text, form) {
					t.Errorf("%s by %s shows %s: %s", name, way, form, text)
				}
			}
			if !strings.Contains(text, tc.tell) {
				t.Errorf("%s by %s does not tell %s, which is no secret: %s", name, way, tc.tell, text)
			}
		}
	}
	data, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(data), `"password":"`+planted+`"`) {
		t.Errorf("what a Secret has of it: %s, %v", data, err)
	}
	if c.Password != planted || string(c.TLS.KeyData) != planted || c.Exec.Args[1] != planted || c.Exec.Env["TOKEN"] != planted {
		t.Error("what was printed is not what it was")
	}
}
