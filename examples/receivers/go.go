// A receiver in Go, with nothing to install. WEBHOOK_SECRET=whsec_... PORT=8080 go run go.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	key, err := keyOf(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		refuse("Set WEBHOOK_SECRET to the secret that was shown at registration: " + err.Error() + ".")
	}
	var seen sync.Map // in real life: a unique column in your database
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 262_144))
		if err != nil || !isGenuine(key, request.Header, rawBody, time.Now()) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var notification struct {
			ID    string
			Event string
			Data  struct{ Amount, Asset string }
		}
		if json.Unmarshal(rawBody, &notification) == nil {
			if _, known := seen.LoadOrStore(notification.ID, true); !known {
				said := notification.Data.Amount + " " + notification.Data.Asset
				// Other events, such as that of a low balance, are of no transaction, and have no amount.
				if !strings.HasPrefix(notification.Event, "transaction.") {
					said = string(rawBody)
				}
				fmt.Println(notification.Event, said)
			}
		}
		response.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	// A sender that stops in the middle of its body is given up.
	server := &http.Server{Addr: "127.0.0.1:" + port, ReadTimeout: 10 * time.Second}
	refuse("Set PORT to a free port: " + server.ListenAndServe().Error() + ".")
}

func refuse(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

// The key of whsec_ and base64. Refuses anything shorter than 24 bytes.
func keyOf(secret string) ([]byte, error) {
	if !strings.HasPrefix(secret, "whsec_") {
		return nil, errors.New("the secret does not begin with whsec_")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err == nil && len(key) < 24 {
		err = errors.New("the secret is too short")
	}
	return key, err
}

// Standard Webhooks: a fresh timestamp, and one of the listed signatures is ours.
func isGenuine(key []byte, headers http.Header, rawBody []byte, now time.Time) bool {
	timestamp := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(now.Unix()-seconds)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(rawBody)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, part := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}
