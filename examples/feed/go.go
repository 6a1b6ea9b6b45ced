// A consumer of the feed in Go, with nothing to install. Each event is in the file exactly once, however often it is killed.
// URL=http://127.0.0.1:3000 API_KEY=cb_... FILE=credits.jsonl go run go.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	waitSeconds  = 30
	longestPause = 30 * time.Second
)

// One line of the file: what came, and the cursor behind it. A line is there whole or not at all.
type page struct {
	Cursor        string            `json:"cursor"`
	Notifications []json.RawMessage `json:"notifications"`
}

type store struct {
	file   *os.File
	cursor string
	ids    map[string]bool
}

func main() {
	key := os.Getenv("API_KEY")
	if key == "" {
		refuse("Set API_KEY to a key with the scope read.")
	}
	address := strings.TrimRight(orElse(os.Getenv("URL"), "http://127.0.0.1:3000"), "/")
	if read, err := url.Parse(address); err != nil || !strings.HasPrefix(read.Scheme, "http") || read.Host == "" {
		refuse("Set URL to the address of Chainbell's API, such as http://127.0.0.1:3000.")
	}
	kept, err := open(orElse(os.Getenv("FILE"), "credits.jsonl"))
	if err != nil {
		refuse("Set FILE to a file that can be written: " + err.Error() + ".")
	}
	client := &http.Client{Timeout: (waitSeconds + 15) * time.Second}
	pause := time.Second
	for {
		status, cursor, body := ask(client, address, key, kept.cursor)
		switch {
		case status == 200:
			pause = time.Second
			if cursor != kept.cursor {
				must(kept.commit(body, cursor))
			}
		case status == 409 || status == 410:
			// 409: the database was restored, and what is here already is left out. 410: retention was faster.
			fmt.Fprintln(os.Stderr, "gap", status)
			must(kept.commit(nil, cursor))
		case status == 408 || status == 429 || status >= 500:
			fmt.Fprintf(os.Stderr, "%d, asked again in %.0f s: %s\n", status, pause.Seconds(), body)
			time.Sleep(pause)
			if pause *= 2; pause > longestPause {
				pause = longestPause
			}
		default:
			refuse(fmt.Sprintf("refused with %d: %s", status, body))
		}
	}
}

// Opens the file. A line that a crash has cut off is removed: its page comes again.
func open(path string) (*store, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	kept := &store{file: file, ids: map[string]bool{}}
	for _, line := range bytes.Split(whole, []byte("\n")) {
		var read page
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &read); err != nil {
			return nil, err
		}
		for _, notification := range read.Notifications {
			kept.ids[idOf(notification)] = true
		}
		kept.cursor = read.Cursor
	}
	return kept, nil
}

func (kept *store) commit(body []byte, cursor string) error {
	written := page{Cursor: cursor, Notifications: []json.RawMessage{}}
	for _, line := range bytes.Split(body, []byte("\n")) {
		if len(line) > 0 && !kept.ids[idOf(line)] {
			written.Notifications = append(written.Notifications, line)
		}
	}
	line, err := json.Marshal(written)
	if err != nil {
		return err
	}
	if _, err := kept.file.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := kept.file.Sync(); err != nil {
		return err
	}
	for _, notification := range written.Notifications {
		kept.ids[idOf(notification)] = true
	}
	kept.cursor = cursor
	return nil
}

func ask(client *http.Client, address, key, cursor string) (int, string, []byte) {
	query := url.Values{"wait": {fmt.Sprint(waitSeconds)}}
	if cursor != "" {
		query.Set("after", cursor)
	}
	request, err := http.NewRequest("GET", address+"/notifications/feed?"+query.Encode(), nil)
	must(err)
	request.Header.Set("x-api-key", key)
	answer, err := client.Do(request)
	if err != nil {
		return 503, "", []byte(err.Error())
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 503, "", []byte(err.Error())
	}
	return answer.StatusCode, answer.Header.Get("chainbell-cursor"), body
}

func idOf(notification []byte) string {
	var read struct{ ID string }
	must(json.Unmarshal(notification, &read))
	return read.ID
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func must(err error) {
	if err != nil {
		refuse("This consumer cannot go on: " + err.Error() + ".")
	}
}

func refuse(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}
