import { serve, within, signIn } from './installation.mjs';
import { visit, list } from './measure/visit.mjs';
await within([], async (browser) => {
  const quiet = await serve('-applications','10000','-clusters','500');
  for (let i=0;i<4;i++){
    const { page, context } = await visit(browser, quiet);
    const c = await context.newCDPSession(page);
    await c.send('Performance.enable');
    if (i==3) { await c.send('Profiler.enable'); await c.send('Profiler.setSamplingInterval',{interval:500}); await c.send('Profiler.start'); }
    const t0=Date.now();
    await page.goto(quiet + list.path);
    await page.locator(list.usable).first().waitFor();
    const t=Date.now()-t0;
    const m = Object.fromEntries((await c.send('Performance.getMetrics')).metrics.map(x=>[x.name,x.value]));
    console.log(t, ['ScriptDuration','V8CompileDuration','LayoutDuration','RecalcStyleDuration','TaskDuration','DevToolsCommandDuration'].map(k=>k+' '+Math.round((m[k]??0)*1000)).join(' '));
    const res = await page.evaluate(()=>performance.getEntriesByType('resource').map(r=>[r.name.replace(location.origin,''),Math.round(r.startTime),Math.round(r.responseEnd)]).concat([['fcp',performance.getEntriesByName('first-contentful-paint')[0]?.startTime]]));
    if(i==2) console.log(res.map(r=>r.join(' ')).join('\n'));
    if(i==3){ const {profile}=await c.send('Profiler.stop'); const self={}; const dt=profile.timeDeltas; const byId=Object.fromEntries(profile.nodes.map(n=>[n.id,n])); profile.samples.forEach((s,k)=>{const n=byId[s].callFrame; const key=n.functionName+' '+n.url.split('/').pop()+':'+n.lineNumber+':'+n.columnNumber; self[key]=(self[key]||0)+dt[k]/1000;}); console.log(Object.entries(self).sort((a,b)=>b[1]-a[1]).slice(0,25).map(([k,v])=>Math.round(v)+' '+k).join('\n')); }
    await context.close();
  }
});
