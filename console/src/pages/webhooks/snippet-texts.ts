const ofSecret = "WEBHOOK_SECRET: shown when the webhook was registered or last rotated";

/**
 * Receivers that verify the signature over the raw body before they read it. The library is the
 * public one of Standard Webhooks.
 */
export const snippets = {
  node: `// ${ofSecret}
import { Webhook } from "standardwebhooks";

app.post("/webhook", express.raw({ type: "application/json" }), (request, response) => {
  const webhook = new Webhook(process.env.WEBHOOK_SECRET);
  const notification = webhook.verify(request.body, request.headers); // throws when it is not ours
  storeOnce(notification.id, notification); // delivery is at least once
  response.sendStatus(204);
});`,
  python: `# ${ofSecret}
from standardwebhooks import Webhook

@app.post("/webhook")
def receive():
    webhook = Webhook(os.environ["WEBHOOK_SECRET"])
    notification = webhook.verify(request.get_data(), dict(request.headers))  # raises when it is not ours
    store_once(notification["id"], notification)  # delivery is at least once
    return "", 204`,
  go: `// ${ofSecret}
webhook, _ := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))

http.HandleFunc("/webhook", func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if err := webhook.Verify(body, r.Header); err != nil { // it is not ours
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	storeOnce(body) // delivery is at least once
	w.WriteHeader(http.StatusNoContent)
})`,
} as const;
