// Written by `inspector setup opencode`; `inspector setup opencode --remove` deletes it.
// After a compaction, gives the model the facts that the summary does not contain. Needs no build step.
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const PROGRAM = ["inspector"]
const SECONDS = 8

function run(words, input) {
  return new Promise((done) => {
    const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), ...words], { stdio: ["pipe", "pipe", "ignore"] })
    const chunks = []
    const timer = setTimeout(() => child.kill("SIGKILL"), SECONDS * 1000)
    const end = (code) => {
      clearTimeout(timer)
      done(code === 0 ? Buffer.concat(chunks).toString("utf8") : "")
    }
    child.on("error", () => end(1))
    child.on("close", end)
    child.stdout.on("data", (chunk) => chunks.push(chunk))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
}

async function factsOf(client, sessionID, directory) {
  let folder
  try {
    const info = (await client.session.get({ path: { id: sessionID } })).data
    const messages = (await client.session.messages({ path: { id: sessionID } })).data
    if (!info || info.parentID || !messages) return ""
    folder = await mkdtemp(join(tmpdir(), "inspector-"))
    const file = join(folder, "session.json")
    await writeFile(file, JSON.stringify({ info, messages }), { mode: 0o600 })
    const event = { hook_event_name: "SessionStart", source: "compact", session_id: sessionID, cwd: directory }
    const output = await run(["hook", "opencode"], JSON.stringify({ ...event, transcript_path: file }))
    return output ? JSON.parse(output).hookSpecificOutput.additionalContext : ""
  } catch {
    return ""
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

export const Inspector = async ({ client, directory }) => {
  const facts = new Map()
  return {
    event: async ({ event }) => {
      if (event.type === "session.compacted") {
        const { sessionID } = event.properties
        facts.set(sessionID, factsOf(client, sessionID, directory))
      }
      if (event.type === "session.deleted") facts.delete(event.properties.info?.id)
    },
    "experimental.chat.messages.transform": async (_input, output) => {
      const summary = output.messages.findLast((message) => message.info.role === "assistant" && message.info.summary)
      const text = summary && (await facts.get(summary.info.sessionID))
      if (!text) return
      const { id: messageID, sessionID } = summary.info
      summary.parts.push({ id: `prt_inspector_${messageID}`, sessionID, messageID, type: "text", text, synthetic: true })
    },
  }
}
