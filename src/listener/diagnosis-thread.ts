/** A thread that explains refused deliveries, one message at a time: it takes a delivery and answers with a sentence. */
import { parentPort } from 'node:worker_threads'
import { type DiagnoseWebhook, diagnoseWebhook } from '../signing/diagnose.ts'

parentPort?.on('message', async (delivery: DiagnoseWebhook) => {
  const { sentence } = await diagnoseWebhook(delivery)
  parentPort?.postMessage(sentence)
})
