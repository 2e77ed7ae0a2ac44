package fleet

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// A proxy that refuses may say what it was sent.
func TestProxysWordsTellNoPassword(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}).BasicAuth()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 407 you sent %s %s\r\nContent-Length: 0\r\n\r\n", r.Header.Get("Proxy-Authorization"), password)
		_ = conn.Close()
	}))
	t.Cleanup(proxy.Close)
	cases := map[string]struct{ reason, login string }{
		"Token":   {"a credential of the Secret", `"bearerToken":"t"`},
		"Program": {"one that is got", `"execProviderConfig":{"command":"echo","args":["{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"t\"}}"],"apiVersion":"client.authentication.k8s.io/v1"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			config := `{` + tc.login + `,"proxyUrl":"` + strings.Replace(proxy.URL, "://", "://me:hunter2@", 1) + `"}`
			_, cfg, err := Parser{Allow: func() []string { return []string{"echo"} }}.Parse(secret("spoke", map[string]string{"server": "https://spoke.test", "config": config}))
			if err != nil {
				t.Fatal(err)
			}
			client, err := rest.HTTPClientFor(cfg)
			if err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://spoke.test/version", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(r)
			if err == nil {
				_ = resp.Body.Close()
				t.Fatalf("%s: the proxy let it pass", tc.reason)
			}
			if told := err.Error(); !strings.Contains(told, "you sent") || strings.Contains(told, "hunter2") || strings.Contains(told, "bWU6aHVudGVyMg") {
				t.Errorf("%s: told %s", tc.reason, told)
			}
		})
	}
}
